import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("User info with a bound token")
struct BoundUserInfoTests {
    private let world: World
    private let prover: Prover

    init() throws {
        world = try World()
        prover = try Prover(world.clock)
    }

    private func challenge(_ response: ProviderResponse) -> AuthenticateChallenge? {
        AuthenticateChallenge.list(in: response.fields).first
    }

    @Test("A bound token presented as Bearer is rejected, also with a proof")
    func downgrade() async throws {
        let token = try await world.boundTokens(prover).access
        for response in [await world.userInfo(token), try await world.userInfo(token, prover, scheme: "Bearer")] {
            #expect(response.status == .unauthorized)
            #expect(challenge(response)?.scheme.lowercased() == "dpop")
            #expect(challenge(response)?.error?.code == .invalidToken)
        }
    }

    @Test("An unbound token presented as DPoP is rejected")
    func upgrade() async throws {
        let response = try await world.userInfo(try await world.tokens().access, prover)
        #expect(response.status == .unauthorized)
        #expect(challenge(response)?.error?.code == .invalidToken)
    }

    @Test("The DPoP scheme is matched without case")
    func scheme() async throws {
        let token = try await world.boundTokens(prover).access
        #expect(try await world.userInfo(token, prover, scheme: "dPoP").status == .ok)
    }

    @Test("User info for a bound token requires one fresh proof by the token's key for this token")
    func proof() async throws {
        let token = try await world.boundTokens(prover).access
        let good = try prover.proof("GET", "/userinfo", token: token)
        let proofs = [
            [], [good, try prover.proof("GET", "/userinfo", token: token)], ["a.b.c"],
            [try prover.proof("GET", "/userinfo")], [try prover.proof("GET", "/userinfo", token: token + "a")],
            [try prover.proof("POST", "/userinfo", token: token)], [try prover.proof("GET", "/token", token: token)],
        ]
        for values in proofs {
            var fields: HTTPFields = [.authorization: "DPoP \(token)"]
            fields[values: .dpop] = values
            let response = await world.get("/userinfo", fields: fields)
            #expect(response.status == .unauthorized)
            #expect(challenge(response)?.error?.code == .invalidDPoPProof)
            #expect(challenge(response)?.parameters["algs"] == "ES256 ES384 ES512 EdDSA Ed25519 PS256 RS256")
        }
        let other = try await world.userInfo(token, try Prover(world.clock))
        #expect(challenge(other)?.error?.code == .invalidToken)
        let fields: HTTPFields = [.authorization: "DPoP \(token)", .dpop: good]
        #expect(await world.get("/userinfo", fields: fields).status == .ok)
        #expect(challenge(await world.get("/userinfo", fields: fields))?.error?.code == .invalidDPoPProof)
    }

    @Test("An unknown token presented as DPoP gets a DPoP challenge")
    func unknown() async throws {
        let response = try await world.userInfo("unknown", prover)
        #expect(challenge(response)?.scheme.lowercased() == "dpop")
        #expect(challenge(response)?.error?.code == .invalidToken)
    }

    @Test("A user info request without a token is challenged with both schemes")
    func offer() async throws {
        let schemes = AuthenticateChallenge.list(in: await world.get("/userinfo").fields).map { $0.scheme.lowercased() }
        #expect(schemes == ["bearer", "dpop"])
    }
}
