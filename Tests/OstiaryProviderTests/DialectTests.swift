import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Dialects")
struct DialectTests {
    /// Changes whatever a dialect can.
    private struct Foreign: Dialect {
        var name: String { "foreign" }

        func path(of route: Route) -> String? {
            switch route {
            case .token: "/oauth2/token"
            case .introspection: ""
            default: nil
            }
        }

        func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? {
            request.path == "/teapot" ? ProviderResponse(status: .init(code: 418)) : nil
        }

        func readAuthorization(_ parameters: inout Parameters, at provider: Provider) {
            parameters[.responseType] = parameters[.responseType] ?? "code"
        }

        func writeAuthorizationResponse(_ parameters: inout Parameters) { parameters["region"] = "eu" }
        func writeMetadata(_ metadata: inout JSONObject, at provider: Provider) { metadata["brand"] = "foreign" }

        func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {
            claims["tenant"] = .string(person.name)
        }

        func writeAccessToken(_ claims: inout JSONObject, for person: ProviderUser?, scopes: [Scope]) {
            claims["tenant"] = person.map { .string($0.name) }
        }

        func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {
            claims["tenant"] = .string(person.name)
        }

        func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider) {
            response.fields[.server] = "foreign"
        }
    }

    private func world() throws -> World { try World { $0.dialect = Foreign() } }

    @Test("A dialect's endpoints lie where the dialect says, and nowhere else")
    func paths() async throws {
        let world = try world()
        let metadata = await world.get("/.well-known/openid-configuration").json
        #expect(metadata?["token_endpoint"]?.string == Fixtures.issuer + "/oauth2/token")
        #expect(metadata?["introspection_endpoint"] == nil)
        #expect(metadata?["revocation_endpoint"]?.string == Fixtures.issuer + "/revoke")
        #expect(metadata?["brand"] == "foreign")
        #expect(await world.post("/token", Parameters()).status == .notFound)
        #expect(await world.post("/introspect", Parameters()).status == .notFound)
        #expect(await world.post("/oauth2/token", Parameters()).status == .unauthorized)
    }

    @Test("A dialect reads its own parameters, and writes its claims into tokens and user info")
    func claims() async throws {
        let world = try world()
        var request = Parameters.authorization()
        request[.responseType] = nil
        let redirect = try #require(try await world.browser().signIn(request).redirect)
        #expect(redirect.parameters["region"] == "eu")
        let code = try #require(redirect.parameters[.code])
        let tokens = try Tokens(await world.post("/oauth2/token", .codeGrant(code, redirectURI: request[.redirectURI])))
        #expect(try await world.verifiedClaims(tokens.access)["tenant"] == "alice")
        #expect(try await world.verifiedClaims(try #require(tokens.id))["tenant"] == "alice")
        #expect(await world.userInfo(tokens.access).json?["tenant"] == "alice")
    }

    @Test("A dialect's own endpoints respond, and it can change every response")
    func answers() async throws {
        let world = try world()
        let response = await world.get("/teapot")
        #expect(response.status.code == 418)
        #expect(response.fields[.server] == "foreign")
        #expect(await world.get("/nowhere").fields[.server] == "foreign")
    }
}
