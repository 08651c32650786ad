import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Request objects")
struct RequestObjectTests {
    private static let redirectURI = "https://app.example.com/callback?from=provider"

    private static func unsigned(_ claims: JSONObject) -> String {
        let header: JSONObject = ["alg": "none"]
        return Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded()) + "."
    }

    private static func request(_ object: String) -> Parameters {
        .authorization {
            $0[.clientID] = "signer"
            $0[.redirectURI] = redirectURI
            $0["request"] = object
        }
    }

    private func world(_ rules: ProviderRules = .oidc) throws -> World { try World { $0.rules = rules } }

    @Test("The parameters of an unsigned request object are used in place of those beside it, and reported")
    func unsigned() async throws {
        let world = try world()
        let object = Self.unsigned([
            "login_hint": "bob", "max_age": 60, "state": "of the object", "client_id": "signer",
        ])
        let response = await world.browser().authorize(Self.request(object))
        #expect(response.loginPage?.userName == "bob")
        #expect(world.log.admitted == [.requestObjects])
        let end = try await world.browser().signIn(Self.request(object))
        #expect(end.redirect?.parameters[.state] == "of the object")
    }

    @Test("A request object that a key of the client signed is used, and pushed as well")
    func signed() async throws {
        let world = try world()
        let claims: JSONObject = ["iss": "signer", "aud": .string(Fixtures.issuer), "login_hint": "bob"]
        let object = try Fixtures.signerKeys[0].sign(claims: claims, type: "oauth-authz-req+jwt")
        #expect(await world.browser().authorize(Self.request(object)).loginPage?.userName == "bob")
        let other = try SigningKey.generate(.es256).sign(claims: claims, type: "JWT")
        #expect(await world.browser().authorize(Self.request(other)).redirectError == "invalid_request_object")
    }

    @Test(
        "A request object that is for another server, of another client, too old or nested is refused",
        arguments: [
            ["aud": "https://other.example"], ["iss": "app"], ["client_id": "app"], ["exp": 1_700_000_000],
            ["request": "a"], ["request_uri": "urn:a"],
        ] as [JSONObject]
    )
    func invalid(claims: JSONObject) async throws {
        let response = await (try world()).browser().authorize(Self.request(Self.unsigned(claims)))
        #expect(response.redirectError == "invalid_request_object")
    }

    @Test("A text that is no request object is refused", arguments: ["a", "a.b", "a.b.c", "..", "e30.e30.e30"])
    func malformed(text: String) async throws {
        let response = await (try world()).browser().authorize(Self.request(text))
        #expect(response.redirectError == "invalid_request_object")
    }

    @Test("Strict rules refuse request objects and name the rules that accept them")
    func strict() async throws {
        let world = try world(.strict)
        let response = await world.browser().authorize(Self.request(Self.unsigned([:])))
        #expect(response.redirectError == "request_not_supported")
        #expect(world.log.refusal?.rule == .requestObjects)
        let metadata = await world.get("/.well-known/openid-configuration").json
        #expect(metadata?["request_parameter_supported"] == false)
    }
}
