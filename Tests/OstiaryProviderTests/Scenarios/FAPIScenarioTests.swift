import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Scenarios of the FAPI 2.0 Security Profile")
struct FAPIScenarioTests {
    private static let prefix = "fapi2-security-profile-final-client-test-"

    private func scenario(_ suffix: String) throws -> Scenario { try #require(Scenario.named(Self.prefix + suffix)) }

    /// The claims of an ID token of a scenario, verified by the real key in spite of the decoys.
    private func claims(_ suffix: String) async throws -> JSONObject {
        let world = try World(scenario: try scenario(suffix))
        return try await world.verifiedClaims(try #require(try await world.tokens().id))
    }

    private func redirect(_ suffix: String) async throws -> Parameters {
        let world = try World(scenario: try scenario(suffix))
        return try #require(try await world.browser().signIn().redirect?.parameters)
    }

    @Test("All 22 FAPI scenarios exist under their module names")
    func names() {
        let names = Scenario.all.map(\.name).filter { $0.hasPrefix(Self.prefix) }
        #expect(names.count == 22)
    }

    @Test("Every FAPI scenario requires a DPoP nonce, except the one without", arguments: Scenario.all)
    func nonces(scenario: Scenario) async throws {
        guard scenario.name.hasPrefix(Self.prefix) else { return }
        let world = try World(scenario: scenario)
        let response = await world.post("/token", .codeGrant("any"), fields: try Prover(world.clock).field())
        let isAsked = scenario.name != Self.prefix + "happy-path-no-dpop-nonce"
        #expect(response.error == (isAsked ? "use_dpop_nonce" : "invalid_grant"))
    }

    @Test("The FAPI key set has two decoys before each key, with its kid and other algorithms")
    func decoys() async throws {
        let keys = await (try World(scenario: try scenario("happy-path"))).get("/jwks").json?["keys"]?.array ?? []
        #expect(keys.count == 6)
        for start in [0, 3] {
            let three = keys[start..<start + 3].compactMap(\.object)
            #expect(Set(three.map { $0["kid"] }).count == 1)
            #expect(Set(three.map { $0["alg"] }).count == 3)
        }
        #expect(try await claims("happy-path")["sub"] == "subject-of-alice")
    }

    @Test("The FAPI scenarios change ID tokens as the modules define")
    func idTokens() async throws {
        #expect(try await claims("invalid-iss")["iss"] == .string(Fixtures.issuer + "1"))
        #expect(try await claims("invalid-aud")["aud"] == "app1")
        let second = try await claims("invalid-secondary-aud")
        #expect(second["aud"] == ["app", "app1"])
        #expect(second["azp"] == nil)
        #expect(try await claims("invalid-expired-exp")["exp"] == .integer(1_800_000_000 - 360))
        #expect(try await claims("invalid-missing-exp")["exp"] == nil)
        #expect(try await claims("invalid-missing-aud")["aud"] == nil)
        #expect(try await claims("invalid-missing-iss")["iss"] == nil)
        #expect(try await claims("valid-aud-as-array")["aud"] == ["app"])
        #expect(try await claims("invalid-nonce")["nonce"] == "the-nonce1")
        #expect(try await claims("invalid-missing-nonce")["nonce"] == nil)
    }

    @Test("The FAPI scenarios have one unsigned ID token, and one signed with another key for RS256")
    func signatures() async throws {
        let unsigned = try World(scenario: try scenario("invalid-null-alg"))
        let token = try UnverifiedJWT(try #require(try await unsigned.tokens().id))
        #expect(token.header.algorithmName == "none")
        let other = try World(scenario: try scenario("invalid-alternate-alg")) {
            $0.clients[0].idTokenAlgorithm = .es256
        }
        let text = try #require(try await other.tokens().id)
        #expect(try UnverifiedJWT(text).header.algorithmName == "RS256")
        #expect(try await other.verifiedClaims(text)["aud"] == "app")
    }

    @Test("The FAPI scenarios change redirects as the modules define")
    func redirects() async throws {
        #expect(try await redirect("invalid-authorization-response-iss")[.issuer] == Fixtures.issuer + "1")
        #expect(try await redirect("remove-authorization-response-iss")[.issuer] == nil)
        #expect(try await redirect("ensure-authorization-response-with-invalid-state-fails")[.state] == "the state1")
        let missing = try await redirect("ensure-authorization-response-with-invalid-missing-state-fails")
        #expect(missing[.state] == nil)
    }

    @Test("The FAPI scenarios change other messages as the modules define")
    func messages() async throws {
        let mismatch = try World(scenario: try scenario("discovery-issuer-mismatch"))
        let issuer = await mismatch.get("/.well-known/openid-configuration").json?["issuer"]
        #expect(issuer == .string(Fixtures.issuer + "INVALID"))
        let silent = try World(scenario: try scenario("token-endpoint-response-without-expires_in"))
        #expect(try await silent.tokens().response["expires_in"] == nil)
        let type = try World(scenario: try scenario("token-type-case-insensitivity"))
        #expect(try await type.tokens().response["token_type"] == "bEARER")
    }
}
