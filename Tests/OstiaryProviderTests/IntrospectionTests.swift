import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Introspection")
struct IntrospectionTests {
    private static let inactive: JSONObject = ["active": false]

    private func ask(_ token: String?, at world: World, client: String = "service", secret: String? = "served") async
        -> ProviderResponse
    {
        var form = Parameters([.clientID: client])
        form[.token] = token
        form[.clientSecret] = secret
        return await world.post("/introspect", form)
    }

    private func world(storage: any ProviderStorage = MemoryProviderStorage()) throws -> World {
        try World(storage: storage) { $0.clients[5].mayIntrospect = true }
    }

    @Test("Introspection describes an access token")
    func accessToken() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        let claims = try await world.verifiedClaims(tokens.access)
        let answer = try #require(await ask(tokens.access, at: world).json)
        #expect(answer["active"] == true)
        #expect(answer["token_type"] == "Bearer")
        #expect(answer["client_id"] == "app")
        #expect(answer["username"] == "alice")
        #expect(answer["scope"] == "openid profile offline_access")
        for name in ["iss", "sub", "aud", "exp", "iat", "jti"] { #expect(answer[name] == claims[name]) }
    }

    @Test("Introspection describes a refresh token, which stays valid")
    func refreshToken() async throws {
        let world = try world()
        let refresh = try #require(try await world.tokens().refresh)
        let answer = try #require(await ask(refresh, at: world).json)
        #expect(answer["active"] == true)
        #expect(answer["sub"] == "subject-of-alice")
        #expect(answer["client_id"] == "app")
        #expect(answer["token_type"] == nil)
        #expect(await world.refresh(refresh).status == .ok)
    }

    @Test("Introspection describes a client's own token without a user")
    func ownToken() async throws {
        let world = try World()
        let form = Parameters([
            .grantType: "client_credentials", .clientID: "service", .clientSecret: "served",
        ])
        let tokens = try Tokens(await world.post("/token", form))
        let answer = try #require(await ask(tokens.access, at: world).json)
        #expect(answer["active"] == true)
        #expect(answer["sub"] == "service")
        #expect(answer["username"] == nil)
    }

    @Test("Introspection describes a token to a client in its audience")
    func audience() async throws {
        let world = try World { $0.accessTokenAudience = ["https://other.example", "service"] }
        #expect(await ask(try await world.tokens().access, at: world).json?["active"] == true)
    }

    @Test("Introspection reports another client's token as inactive")
    func otherClient() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        #expect(await ask(tokens.access, at: world).json == Self.inactive)
        #expect(await ask(tokens.refresh, at: world).json == Self.inactive)
    }

    @Test("Introspection reports an unknown, expired or revoked token as inactive and nothing else")
    func inactive() async throws {
        let world = try world()
        #expect(await ask("unknown", at: world).json == Self.inactive)
        let revoked = try await world.tokens()
        _ = await world.post("/revoke", Parameters([.token: try #require(revoked.refresh), .clientID: "app"]))
        #expect(await ask(revoked.access, at: world).json == Self.inactive)
        #expect(await ask(revoked.refresh, at: world).json == Self.inactive)
        let expired = try await world.tokens()
        #expect(await ask(expired.id, at: world).json == Self.inactive)
        world.clock.advance(by: .seconds(900))
        #expect(await ask(expired.access, at: world).json == Self.inactive)
        world.clock.advance(by: .seconds(30 * 86_400))
        #expect(await ask(expired.refresh, at: world).json == Self.inactive)
    }

    @Test("Introspection reports a rotated refresh token as inactive")
    func rotated() async throws {
        let world = try world()
        let refresh = try #require(try await world.tokens().refresh)
        _ = await world.refresh(refresh)
        #expect(await ask(refresh, at: world).json == Self.inactive)
    }

    @Test("Introspection rejects a client that does not authenticate")
    func publicClient() async throws {
        let world = try World()
        let response = await ask(try await world.tokens().access, at: world, client: "app", secret: nil)
        #expect(response.status == .unauthorized)
        #expect(response.error == "invalid_client")
        #expect(response.fields[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
    }

    @Test("Introspection without a token is rejected")
    func missing() async throws {
        #expect(await ask(nil, at: try World()).error == "invalid_request")
    }

    @Test("An introspection scenario changes the response")
    func scenarios() async throws {
        let missing = try World(scenario: .missingActive)
        #expect(await ask("unknown", at: missing).json == [:])
        let textual = try World(scenario: .textualActive)
        #expect(await ask("unknown", at: textual).json?["active"] == "false")
        #expect(await ask("unknown", at: try World(scenario: .introspectionNotJSON)).json == nil)
    }

    @Test("Introspection returns the key of a bound token")
    func bound() async throws {
        let world = try world()
        let prover = try Prover(world.clock)
        let tokens = try await world.boundTokens(prover)
        let key: JSONValue = ["jkt": .string(prover.thumbprint)]
        let access = await ask(tokens.access, at: world).json
        #expect(access?["token_type"] == "DPoP")
        #expect(access?["cnf"] == key)
        #expect(await ask(tokens.refresh, at: world).json?["cnf"] == key)
    }

    @Test("Introspection reports an expired token as inactive, even while its record is still stored")
    func keptTooLong() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        // What has expired is forgotten once a minute.
        world.clock.advance(by: .seconds(850))
        #expect(await ask(tokens.access, at: world).json?["active"] == true)
        world.clock.advance(by: .seconds(50))
        #expect(await ask(tokens.access, at: world).json == Self.inactive)
        #expect(await ask(tokens.refresh, at: world).json?["active"] == true)
    }
}
