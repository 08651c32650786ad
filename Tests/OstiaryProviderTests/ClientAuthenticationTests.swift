import HTTPTypes
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Client authentication")
struct ClientAuthenticationTests {
    private static func basic(_ pair: String) -> HTTPFields {
        [.authorization: "Basic " + Data(pair.utf8).base64EncodedString()]
    }

    private static let right = basic("web%20app:p%25ss%3A%20%2Bword")

    /// Asks for tokens with a code that does not exist: who gets that far is authenticated.
    private func ask(_ fields: HTTPFields, _ change: (inout Parameters) -> Void = { _ in }) async throws
        -> ProviderResponse
    {
        await (try World()).post(
            "/token",
            .codeGrant("unknown") {
                $0[.clientID] = nil
                change(&$0)
            },
            fields: fields
        )
    }

    @Test(
        "A Basic credential's halves are form-decoded, with a plus as a space",
        arguments: [right, basic("web+app:p%25ss%3a+%2Bword")]
    )
    func basicCredential(fields: HTTPFields) async throws {
        #expect(try await ask(fields).error == "invalid_grant")
    }

    @Test(
        "A Basic credential without form encoding is accepted only where the configuration allows it"
    )
    func rawCredential() async throws {
        let raw = Self.basic("web app:p%ss: +word")
        let form = Parameters.codeGrant("unknown") { $0[.clientID] = nil }
        let world = try World { $0.basicCredentials = .formEncodedOrRaw }
        #expect(await world.post("/token", form, fields: raw).error == "invalid_grant")
        #expect(await world.post("/token", form, fields: Self.right).error == "invalid_grant")
        for wrong in ["web app:p%ss: +wor", "web app:", "web app:p%ss", ":p%ss: +word", "other:p%ss: +word", "web app"]
        {
            #expect(await world.post("/token", form, fields: Self.basic(wrong)).error == "invalid_client")
        }
        let other = Parameters.codeGrant("unknown") { $0[.clientID] = "app" }
        #expect(await world.post("/token", other, fields: raw).error == "invalid_request")
        #expect(try await ask(raw).error == "invalid_client")
    }

    @Test("The Basic scheme is matched without case")
    func schemeCase() async throws {
        let field = try #require(Self.right[.authorization]).replacing("Basic", with: "bAsIc")
        #expect(try await ask([.authorization: field]).error == "invalid_grant")
    }

    @Test("The library client's Basic credential is accepted")
    func ownClient() async throws {
        let world = try World()
        let client = try Client(
            id: "web app",
            redirectURI: RedirectURI("https://app.example.com/callback"),
            authentication: .clientSecretBasic(Secret("p%ss: +word"))
        )
        let metadata = await world.get("/.well-known/openid-configuration")
        let server = try ServerMetadataRequest(try Issuer(Fixtures.issuer)).output(
            from: EndpointResponse(fields: metadata.fields, body: world.provider.body(of: metadata))
        )
        let request = try RevocationRequest(Secret("unknown"), kind: .accessToken, client: client, server: server)
            .request()
        let response = await world.provider.respond(
            to: ProviderRequest(method: .post, path: "/revoke", fields: request.allFields, body: request.body ?? [])
        )
        #expect(response.status == .ok)
    }

    @Test(
        "A client that fails to authenticate gets a Basic challenge",
        arguments: [
            [:], basic("web%20app:wrong"), basic("web%20app:"), basic("nobody:p"), basic("web app"),
            basic("web%20app:p%25ss%3A%20%2Bword:more"),
            basic("web%2:x"), [.authorization: "Basic !!!"], [.authorization: "Bearer abc"], [.authorization: "Basic"],
        ]
    )
    func refused(fields: HTTPFields) async throws {
        let response = try await ask(fields)
        #expect(response.status == .unauthorized)
        #expect(response.error == "invalid_client")
        #expect(response.fields[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
    }

    @Test("A client that uses another method than the registered one is rejected")
    func otherMethod() async throws {
        let posted = try await ask([:]) {
            $0[.clientID] = "web app"
            $0[.clientSecret] = "p%ss: +word"
        }
        #expect(posted.error == "invalid_client")
        #expect(try await ask(Self.basic("poster:posted")).error == "invalid_client")
        #expect(try await ask([:]) { $0[.clientID] = "poster" }.error == "invalid_client")
    }

    @Test("A client registered for client_secret_post authenticates in the form")
    func posted() async throws {
        let response = try await ask([:]) {
            $0[.clientID] = "poster"
            $0[.clientSecret] = "posted"
        }
        #expect(response.error == "invalid_grant")
    }

    @Test("A token request with two client credentials is rejected")
    func twoWays() async throws {
        let response = try await ask(Self.right) { $0[.clientSecret] = "p%ss: +word" }
        #expect(response.status == .badRequest)
        #expect(response.error == "invalid_request")
    }

    @Test("A token request with two Authorization fields is rejected")
    func twoFields() async throws {
        var fields = Self.right
        fields.append(HTTPField(name: .authorization, value: "Basic YTpi"))
        #expect(try await ask(fields).error == "invalid_request")
    }

    @Test("A form may repeat the Authorization field's client, and no other one")
    func clientIDInBoth() async throws {
        #expect(try await ask(Self.right) { $0[.clientID] = "web app" }.error == "invalid_grant")
        #expect(try await ask(Self.right) { $0[.clientID] = "app" }.error == "invalid_request")
    }

    @Test("A public client may send a Basic credential with an empty secret, and no other")
    func publicClient() async throws {
        #expect(try await ask(Self.basic("app:")).error == "invalid_grant")
        #expect(try await ask(Self.basic("app:anything")).error == "invalid_client")
        #expect(
            try await ask([:]) {
                $0[.clientID] = "app"
                $0[.clientSecret] = "anything"
            }.error == "invalid_client"
        )
    }

    @Test("A malformed client assertion is rejected")
    func assertion() async throws {
        let response = try await ask([:]) {
            $0[.clientID] = "app"
            $0["client_assertion"] = "a.b.c"
        }
        #expect(response.error == "invalid_client")
    }

    @Test("A client that requests a grant type it is not registered for is rejected")
    func grantType() async throws {
        let response = try await ask([:]) {
            $0[.clientID] = "poster"
            $0[.clientSecret] = "posted"
            $0[.grantType] = "refresh_token"
        }
        #expect(response.error == "unauthorized_client")
    }
}
