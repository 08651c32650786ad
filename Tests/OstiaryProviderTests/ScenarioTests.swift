import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Scenarios")
struct ScenarioTests {
    private func idToken(_ scenario: Scenario) async throws -> (world: World, token: String) {
        let world = try World(scenario: scenario)
        return (world, try #require(try await world.tokens().id))
    }

    @Test("Every scenario has a unique name and is found by it")
    func names() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
        for scenario in Scenario.all { #expect(Scenario.named(scenario.name)?.name == scenario.name) }
        #expect(Scenario.named("nothing") == nil)
    }

    @Test("A scenario's changed claims are signed, so that only the claim's check finds them")
    func claims() async throws {
        let (world, token) = try await idToken(.invalidAudience)
        #expect(try await world.verifiedClaims(token)["aud"] == "app1")
        let (second, other) = try await idToken(.secondAudience)
        #expect(try await second.verifiedClaims(other)["aud"] == ["app", "https://other.example"])
    }

    @Test(
        "A scenario for a missing claim omits it",
        arguments: [
            (Scenario.missingIssuer, "iss"), (.missingAudience, "aud"), (.missingSubject, "sub"),
            (.missingIssuedAt, "iat"),
            (.missingExpiry, "exp"), (.missingNonce, "nonce"), (.missingAccessTokenHash, "at_hash"),
            (.missingAuthenticationTime, "auth_time"),
        ]
    )
    func missingClaims(scenario: Scenario, claim: String) async throws {
        let (world, token) = try await idToken(scenario)
        #expect(try await world.verifiedClaims(token)[claim] == nil)
    }

    @Test(
        "A scenario's wrongly signed token does not verify",
        arguments: [
            Scenario.invalidSignature, .unsigned, .symmetricSignature, .unknownKeyID, .criticalHeader,
        ]
    )
    func signatures(scenario: Scenario) async throws {
        let (world, token) = try await idToken(scenario)
        await #expect(throws: (any Error).self) { try await world.verifiedClaims(token) }
    }

    @Test("A scenario's replaced keys are found by reading the key set again")
    func keyRotation() async throws {
        let world = try World(scenario: .keyRotation)
        let before = await world.get("/jwks").json
        let token = try #require(try await world.tokens().id)
        #expect(await world.get("/jwks").json != before)
        _ = try await world.verifiedClaims(token)
    }

    @Test("A refresh scenario keeps the sign-in unchanged")
    func refresh() async throws {
        let world = try World(scenario: .refreshInvalidSubject)
        let first = try await world.tokens()
        #expect(try await world.verifiedClaims(try #require(first.id))["sub"] == "subject-of-alice")
        let second = try Tokens(await world.refresh(try #require(first.refresh)))
        #expect(try await world.verifiedClaims(try #require(second.id))["sub"] == "subject-of-alice1")
    }

    @Test("A redirect scenario omits or repeats a parameter")
    func redirects() async throws {
        func parameters(_ scenario: Scenario) async throws -> Parameters? {
            try await World(scenario: scenario).browser().signIn().redirect?.parameters
        }
        #expect(try await parameters(.missingResponseIssuer)?[.issuer] == nil)
        #expect(try await parameters(.invalidResponseIssuer)?[.issuer] == Fixtures.issuer + "1")
        #expect(try await parameters(.missingState)?[.state] == nil)
        #expect(try await parameters(.repeatedState)?.values(of: .state).count == 2)
    }

    @Test("Without rotation the refresh token stays valid and no new one is returned")
    func noRotation() async throws {
        let world = try World(scenario: .noRotation)
        let refresh = try #require(try await world.tokens().refresh)
        #expect(try Tokens(await world.refresh(refresh)).refresh == nil)
        #expect(await world.refresh(refresh).status == .ok)
    }

    @Test("Every other scenario changes the message that it names")
    func messages() async throws {
        let metadata = try await World(scenario: .issuerMismatch).get("/.well-known/openid-configuration").json
        #expect(metadata?["issuer"]?.string == Fixtures.issuer + "INVALID")
        let type = try await World(scenario: .otherTokenType).tokens().response["token_type"]
        #expect(type == "N_A")
        let world = try World(scenario: .userInfoInvalidSubject)
        #expect(await world.userInfo(try await world.tokens().access).json?["sub"] == "subject-of-aliceinvalid")
        let page = await (try World(scenario: .htmlInsteadOfJSON)).post("/token", .codeGrant("any"))
        #expect(page.fields[.contentType]?.hasPrefix("text/html") == true)
        let huge = try World(scenario: .hugeBody)
        #expect(huge.provider.body(of: await huge.post("/token", .codeGrant("any"))).count > 10_000_000)
    }

    @Test("A scenario does not weaken the provider's own checks")
    func stillStrict() async throws {
        let world = try World(scenario: .invalidAudience)
        let code = try await world.code()
        let response = await world.post("/token", .codeGrant(code) { $0[.codeVerifier] = Fixtures.challenge })
        #expect(response.error == "invalid_grant")
    }
}
