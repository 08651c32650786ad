import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Client credentials")
struct ClientCredentialsTests {
    private func ask(_ world: World, _ change: (inout Parameters) -> Void = { _ in }) async -> ProviderResponse {
        var form = Parameters([
            .grantType: "client_credentials", .clientID: "service", .clientSecret: "served", .scope: "notes",
        ])
        change(&form)
        return await world.post("/token", form)
    }

    @Test("A client credentials request gets an access token and no other token")
    func token() async throws {
        let world = try World()
        let tokens = try Tokens(await ask(world))
        #expect(tokens.refresh == nil)
        #expect(tokens.id == nil)
        #expect(tokens.response["scope"] == "notes")
        let claims = try await world.verifiedClaims(tokens.access)
        #expect(claims["sub"] == "service")
        #expect(claims["client_id"] == "service")
        #expect(claims["scope"] == "notes")
        #expect(claims["auth_time"] == nil)
    }

    @Test("A client credentials request without a scope gets the scopes that need no user")
    func defaultScope() async throws {
        let tokens = try Tokens(await ask(try World()) { $0[.scope] = nil })
        #expect(tokens.response["scope"] == "notes")
    }

    @Test("A client without such scopes gets a token without scope")
    func noScope() async throws {
        let world = try World { $0.clients[5].allowedScopes = [.openID] }
        let tokens = try Tokens(await ask(world) { $0[.scope] = nil })
        #expect(tokens.response["scope"] == nil)
        #expect(try await world.verifiedClaims(tokens.access)["scope"] == nil)
    }

    @Test(
        "A client credentials request for a user's scopes is rejected",
        arguments: ["openid", "notes offline_access", "email", "unknown"]
    )
    func personal(scope: String) async throws {
        #expect(await ask(try World()) { $0[.scope] = scope }.error == "invalid_scope")
    }

    @Test("A public client's client credentials request is rejected")
    func publicClient() async throws {
        let world = try World { $0.clients[0].grantTypes.insert(.clientCredentials) }
        let response = await ask(world) {
            $0[.clientID] = "app"
            $0[.clientSecret] = nil
        }
        #expect(response.error == "unauthorized_client")
    }

    @Test("A client credentials token opens no user info, even when a user has the client's name")
    func noPerson() async throws {
        let world = try World { $0.users[0].subject = "service" }
        let tokens = try Tokens(await ask(world))
        #expect(await world.userInfo(tokens.access).status == .forbidden)
    }

    @Test("A client credentials token expires")
    func lifetime() async throws {
        let world = try World()
        let tokens = try Tokens(await ask(world))
        #expect(tokens.response["expires_in"] == 900)
        world.clock.advance(by: .seconds(900))
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
    }

    @Test("A client credentials token can be bound to a key and issued for a resource")
    func target() async throws {
        let world = try World {
            $0.resources = [ProviderResource(identifier: "https://api.example", name: "The API")]
        }
        let prover = try Prover(world.clock)
        var form = Parameters([
            .grantType: "client_credentials", .clientID: "service", .clientSecret: "served",
            .resource: "https://api.example",
        ])
        let tokens = try Tokens(await world.post("/token", form, fields: try prover.field()))
        let claims = try await world.verifiedClaims(tokens.access)
        #expect(tokens.response["token_type"] == "DPoP")
        #expect(claims["cnf"] == ["jkt": .string(prover.thumbprint)])
        #expect(claims["aud"] == "https://api.example")
        form[.resource] = "https://other.example"
        #expect(await world.post("/token", form).error == "invalid_target")
    }
}
