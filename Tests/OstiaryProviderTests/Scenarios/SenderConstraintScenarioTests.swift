import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Scenarios of proofs and pushed requests")
struct SenderConstraintScenarioTests {
    /// Asks the token endpoint until it does not challenge, at most five times; how often it did, and its answer.
    private func trade(
        _ form: Parameters,
        _ prover: Prover,
        at world: World,
        nonce: String? = nil
    ) async throws -> (challenges: Int, response: ProviderResponse) {
        var nonce = nonce
        for count in 0...5 {
            let response = await world.post("/token", form, fields: try prover.field(nonce: nonce))
            guard count < 5, response.error == "use_dpop_nonce" else { return (count, response) }
            nonce = response.fields[.dpopNonce]
        }
        throw Missing()
    }

    private func refreshing(_ token: String) -> Parameters {
        Parameters([.grantType: "refresh_token", .refreshToken: token, .clientID: "app"])
    }

    @Test("Without a fault a nonce challenge is answered once")
    func configured() async throws {
        let world = try World { $0.dpop.requiresNonce = true }
        let (prover, code) = (try Prover(world.clock), try await world.code())
        let (challenges, response) = try await trade(.codeGrant(code), prover, at: world)
        #expect(challenges == 1)
        let nonce = response.fields[.dpopNonce]
        let token = try #require(Tokens(response).refresh)
        #expect(try await trade(refreshing(token), prover, at: world, nonce: nonce).challenges == 0)
    }

    @Test("A scenario's rotating nonces are used up by each response")
    func rotating() async throws {
        let world = try World(scenario: .rotatingNonces)
        let prover = try Prover(world.clock)
        let pushed = await world.post("/par", .authorization(), fields: try prover.field("/par"))
        let first: String = try #require(pushed.fields[.dpopNonce])
        let form = Parameters.codeGrant(try await world.code())
        let (challenges, response) = try await trade(form, prover, at: world, nonce: first)
        #expect(challenges == 1)
        let spent: String = try #require(response.fields[.dpopNonce])
        let token = try #require(Tokens(response).refresh)
        let (again, second) = try await trade(refreshing(token), prover, at: world, nonce: spent)
        #expect(again == 1)
        #expect(second.status == .ok)
    }

    @Test("A scenario's endless challenges never end, and use up no code")
    func endless() async throws {
        let world = try World(scenario: .endlessNonceChallenges)
        let prover = try Prover(world.clock)
        let form = Parameters.codeGrant(try await world.code())
        let (challenges, response) = try await trade(form, prover, at: world)
        #expect(challenges == 5)
        #expect(response.error == "use_dpop_nonce")
        #expect(await world.post("/token", form).status == .ok)
    }

    @Test("A scenario's nonce is huge, or missing from its challenge")
    func oddNonces() async throws {
        func nonce(_ scenario: Scenario) async throws -> String? {
            let world = try World(scenario: scenario)
            let response = await world.post("/token", .codeGrant("any"), fields: try Prover(world.clock).field())
            #expect(response.error == "use_dpop_nonce")
            return response.fields[.dpopNonce]
        }
        #expect(try await nonce(.hugeNonce)?.count == 100_000)
        #expect(try await nonce(.challengeWithoutNonce) == nil)
    }

    @Test("A scenario labels a bound token as a bearer token")
    func downgrade() async throws {
        let world = try World(scenario: .bearerDowngrade)
        let prover = try Prover(world.clock)
        let tokens = try await world.boundTokens(prover)
        #expect(tokens.response["token_type"] == "Bearer")
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
        #expect(try await world.userInfo(tokens.access, prover).status == .ok)
    }

    @Test("A scenario changes the case of the token type")
    func tokenType() async throws {
        let world = try World(scenario: .invertedTokenType)
        #expect(try await world.boundTokens(try Prover(world.clock)).response["token_type"] == "dpOp")
        #expect(try await world.tokens().response["token_type"] == "bEARER")
    }

    @Test("A scenario changes the case of the user info challenge's scheme")
    func scheme() async throws {
        let world = try World(scenario: .challengeSchemeCase)
        let prover = try Prover(world.clock)
        let (_, response) = try await trade(.codeGrant(try await world.code()), prover, at: world)
        let challenge = try await world.userInfo(try Tokens(response).access, prover)
        #expect(challenge.fields[.wwwAuthenticate]?.hasPrefix("dPoP realm=") == true)
        #expect(challenge.fields[.dpopNonce] != nil)
    }

    @Test(
        "A scenario changes the response to a pushed request",
        arguments: [
            (Scenario.pushedWithOK, HTTPResponse.Status.ok, ["request_uri", "expires_in"]),
            (.missingRequestURI, .created, ["expires_in"]),
            (.missingRequestLifetime, .created, ["request_uri"]),
            (.pushedRefused, .badRequest, ["error", "error_description"]),
            (.pushedWithPage, .badRequest, nil),
        ] as [(Scenario, HTTPResponse.Status, [String]?)]
    )
    func pushed(scenario: Scenario, status: HTTPResponse.Status, names: [String]?) async throws {
        let response = await (try World(scenario: scenario)).post("/par", .authorization())
        #expect(response.status == status)
        #expect(response.json?.names == names)
    }

    @Test("A scenario gives a pushed request an unusual request URI or lifetime")
    func pushedValues() async throws {
        func answer(_ scenario: Scenario) async throws -> JSONObject? {
            await (try World(scenario: scenario)).post("/par", .authorization()).json
        }
        #expect(try await answer(.emptyRequestURI)?["request_uri"] == "")
        #expect(try await answer(.zeroRequestLifetime)?["expires_in"] == 0)
        #expect(try await answer(.negativeRequestLifetime)?["expires_in"] == -1)
    }

    @Test("A scenario lets the token endpoint reject every resource")
    func target() async throws {
        #expect(await (try World(scenario: .invalidTarget)).post("/token", .codeGrant("any")).error == "invalid_target")
    }
}
