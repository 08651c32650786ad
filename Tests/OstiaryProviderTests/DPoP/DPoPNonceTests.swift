import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Nonces of DPoP proofs")
struct DPoPNonceTests {
    private let world: World
    private let prover: Prover

    init() throws {
        world = try World {
            $0.dpop.requiresNonce = true
            $0.dpop.nonceLifetime = .seconds(100)
        }
        prover = try Prover(world.clock)
    }

    /// The nonce that the token endpoint asks for.
    private func nonce() async throws -> String {
        let response = await world.post("/token", .codeGrant("any"), fields: try prover.field())
        return try #require(response.fields[.dpopNonce])
    }

    @Test("A proof without the nonce is challenged, and the code stays valid")
    func token() async throws {
        let form = Parameters.codeGrant(try await world.code())
        let challenge = await world.post("/token", form, fields: try prover.field())
        #expect(challenge.status == .badRequest)
        #expect(challenge.error == "use_dpop_nonce")
        let nonce = try #require(challenge.fields[.dpopNonce])
        let response = await world.post("/token", form, fields: try prover.field(nonce: nonce))
        #expect(response.status == .ok)
        #expect(response.fields[.dpopNonce] != nil)
    }

    @Test("The pushed authorization endpoint challenges for a nonce and returns the next one")
    func pushedAuthorization() async throws {
        let challenge = await world.post("/par", .authorization(), fields: try prover.field("/par"))
        #expect(challenge.status == .badRequest)
        #expect(challenge.error == "use_dpop_nonce")
        let nonce: String = try #require(challenge.fields[.dpopNonce])
        let fields = try prover.field("/par", nonce: nonce)
        let response = await world.post("/par", .authorization(), fields: fields)
        #expect(response.status == .created)
        #expect(response.fields[.dpopNonce] != nil)
    }

    @Test("A resource challenges with its own nonces, which differ from the authorization server's")
    func userInfo() async throws {
        let form = Parameters.codeGrant(try await world.code())
        let asked = await world.post("/token", form, fields: try prover.field())
        let servers = try #require(asked.fields[.dpopNonce])
        let token = try Tokens(await world.post("/token", form, fields: try prover.field(nonce: servers))).access
        let response = try await world.userInfo(token, prover, nonce: servers)
        #expect(response.status == .unauthorized)
        #expect(AuthenticateChallenge.list(in: response.fields).first?.error?.code == .useDPoPNonce)
        let nonce = try #require(response.fields[.dpopNonce])
        let info = try await world.userInfo(token, prover, nonce: nonce)
        #expect(info.status == .ok)
        #expect(info.fields[.dpopNonce] == nonce)
        let back = await world.post("/token", .codeGrant("any"), fields: try prover.field(nonce: nonce))
        #expect(back.error == "use_dpop_nonce")
    }

    @Test("A DPoP nonce is valid in its period and the next")
    func lifetime() async throws {
        let first = try await nonce()
        world.clock.advance(by: .seconds(100))
        let known = await world.post("/token", .codeGrant("any"), fields: try prover.field(nonce: first))
        #expect(known.error == "invalid_grant")
        #expect(try await nonce() != first)
        world.clock.advance(by: .seconds(100))
        let old = await world.post("/token", .codeGrant("any"), fields: try prover.field(nonce: first))
        #expect(old.error == "use_dpop_nonce")
    }

    @Test("A proof that was challenged for its nonce does not count as used")
    func replay() async throws {
        let proof = try prover.proof { $0["jti"] = "same" }
        _ = await world.post("/token", .codeGrant("any"), fields: [.dpop: proof])
        #expect(await world.post("/token", .codeGrant("any"), fields: [.dpop: proof]).error == "use_dpop_nonce")
    }

    @Test("A request without a proof is not challenged for a nonce")
    func withoutProof() async throws {
        #expect(try await world.tokens().response["token_type"] == "Bearer")
    }

    @Test("Where no nonce is required none is sent, and a proof's nonce is ignored")
    func notRequired() async throws {
        let world = try World()
        let fields = try Prover(world.clock).field(nonce: "anything")
        let response = await world.post("/token", .codeGrant(try await world.code()), fields: fields)
        #expect(response.status == .ok)
        #expect(response.fields[.dpopNonce] == nil)
    }
}
