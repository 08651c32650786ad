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

    @Test("An access token is described")
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

    @Test("A refresh token is described, and is as good afterwards as before")
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

    @Test("A client's own token is described to it, without a person")
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

    @Test("A token is described to whom it is for")
    func audience() async throws {
        let world = try World { $0.accessTokenAudience = ["https://other.example", "service"] }
        #expect(await ask(try await world.tokens().access, at: world).json?["active"] == true)
    }

    @Test("Another client's token is nobody else's business")
    func otherClient() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        #expect(await ask(tokens.access, at: world).json == Self.inactive)
        #expect(await ask(tokens.refresh, at: world).json == Self.inactive)
    }

    @Test("Of a token that is unknown, expired or revoked nothing else is said")
    func inactive() async throws {
        let world = try world()
        #expect(await ask("unknown", at: world).json == Self.inactive)
        let revoked = try await world.tokens()
        _ = await world.post("/revoke", Parameters([.token: try #require(revoked.refresh), .clientID: "app"]))
        #expect(await ask(revoked.access, at: world).json == Self.inactive)
        #expect(await ask(revoked.refresh, at: world).json == Self.inactive)
        let expired = try await world.tokens()
        #expect(await ask(expired.id, at: world).json == Self.inactive)
        world.clock.advance(by: 900)
        #expect(await ask(expired.access, at: world).json == Self.inactive)
        world.clock.advance(by: 30 * 86_400)
        #expect(await ask(expired.refresh, at: world).json == Self.inactive)
    }

    @Test("A refresh token that was rotated is not active")
    func rotated() async throws {
        let world = try world()
        let refresh = try #require(try await world.tokens().refresh)
        _ = await world.refresh(refresh)
        #expect(await ask(refresh, at: world).json == Self.inactive)
    }

    @Test("A client that does not authenticate is told nothing")
    func publicClient() async throws {
        let world = try World()
        let response = await ask(try await world.tokens().access, at: world, client: "app", secret: nil)
        #expect(response.status == .unauthorized)
        #expect(response.error == "invalid_client")
        #expect(response.fields[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
    }

    @Test("Without a token there is nothing to ask")
    func missing() async throws {
        #expect(await ask(nil, at: try World()).error == "invalid_request")
    }

    @Test("Scenarios change what is said")
    func scenarios() async throws {
        let missing = try World(scenario: .missingActive)
        #expect(await ask("unknown", at: missing).json == [:])
        let textual = try World(scenario: .textualActive)
        #expect(await ask("unknown", at: textual).json?["active"] == "false")
        #expect(await ask("unknown", at: try World(scenario: .introspectionNotJSON)).json == nil)
    }

    @Test("Of a token that is bound to a key the key is named")
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

    @Test("A token that is too old is not active, even while it is still kept")
    func keptTooLong() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        // What has expired is forgotten once a minute.
        world.clock.advance(by: 850)
        #expect(await ask(tokens.access, at: world).json?["active"] == true)
        world.clock.advance(by: 50)
        #expect(await ask(tokens.access, at: world).json == Self.inactive)
        #expect(await ask(tokens.refresh, at: world).json?["active"] == true)
    }
}
