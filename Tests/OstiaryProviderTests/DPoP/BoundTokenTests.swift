import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Tokens that are bound to a key")
struct BoundTokenTests {
    private let world: World
    private let prover: Prover

    init() throws {
        world = try World()
        prover = try Prover(world.clock)
    }

    @Test("A proof at the token endpoint binds the access token to its key")
    func bound() async throws {
        let tokens = try await world.boundTokens(prover)
        #expect(tokens.response["token_type"] == "DPoP")
        #expect(try await world.verifiedClaims(tokens.access)["cnf"] == ["jkt": .string(prover.thumbprint)])
        #expect(try await world.userInfo(tokens.access, prover).json?["sub"] == "subject-of-alice")
    }

    @Test("A token request without a proof gets an unbound token")
    func unbound() async throws {
        let tokens = try await world.tokens()
        #expect(tokens.response["token_type"] == "Bearer")
        #expect(try await world.verifiedClaims(tokens.access)["cnf"] == nil)
    }

    @Test("A wrong, repeated or reused DPoP proof is rejected, and the code stays valid")
    func wrongProof() async throws {
        let form = Parameters.codeGrant(try await world.code())
        var twice = try prover.field()
        twice.append(HTTPField(name: .dpop, value: try prover.proof()))
        let spent = try prover.field()
        _ = try Tokens(await world.post("/token", .codeGrant(try await world.code()), fields: spent))
        for fields in [twice, spent, try prover.field("/par"), [.dpop: "a.b.c"]] {
            let response = await world.post("/token", form, fields: fields)
            #expect(response.status == .badRequest)
            #expect(response.error == "invalid_dpop_proof")
        }
        #expect(await world.post("/token", form, fields: try prover.field()).status == .ok)
    }

    @Test("Concurrent uses of a DPoP proof are accepted once")
    func race() async throws {
        let token = try await world.boundTokens(prover).access
        let proof = try prover.proof("GET", "/userinfo", token: token)
        let fields: HTTPFields = [.authorization: "DPoP \(token)", .dpop: proof]
        let good = await withTaskGroup(of: Bool.self) { [world] group in
            for _ in 0..<20 { group.addTask { await world.get("/userinfo", fields: fields).status == .ok } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 1)
    }

    @Test("Proofs of two keys may have the same jti")
    func identifiers() async throws {
        let other = try Prover(world.clock)
        for prover in [prover, other] {
            let proof = try prover.proof { $0["jti"] = "same" }
            let response = await world.post("/token", .codeGrant(try await world.code()), fields: [.dpop: proof])
            #expect(response.status == .ok)
        }
    }

    @Test("A DPoP proof is accepted for five minutes, or for the configured age")
    func age() async throws {
        let old = try prover.proof { $0["iat"] = .integer(1_800_000_000 - 300) }
        let response = await world.post("/token", .codeGrant(try await world.code()), fields: [.dpop: old])
        #expect(response.status == .ok)
        let strict = try World { $0.dpop.acceptedAge = .seconds(5) }
        #expect(await strict.post("/token", .codeGrant("any"), fields: [.dpop: old]).error == "invalid_dpop_proof")
    }

    @Test("A DPoP proof with an algorithm that the metadata does not list is rejected")
    func algorithm() async throws {
        let world = try World { $0.dpop.algorithms = [.edDSA] }
        let response = await world.post("/token", .codeGrant("any"), fields: try prover.field())
        #expect(response.error == "invalid_dpop_proof")
    }

    @Test("The metadata names the algorithms of proofs")
    func metadata() async throws {
        let world = try World { $0.dpop.algorithms = [.edDSA, .es256] }
        let metadata = await world.get("/.well-known/openid-configuration").json
        #expect(metadata?["dpop_signing_alg_values_supported"] == ["EdDSA", "ES256"])
    }

    @Test("A client registered for bound tokens gets no others")
    func required() async throws {
        let world = try World { $0.clients[0].requiresDPoP = true }
        let form = Parameters.codeGrant(try await world.code())
        #expect(await world.post("/token", form).error == "invalid_dpop_proof")
        #expect(await world.post("/token", form, fields: try prover.field()).status == .ok)
    }

    @Test("A public client's refresh token is bound to the key, and stays valid after another key's attempt")
    func refresh() async throws {
        let first = try #require(try await world.boundTokens(prover).refresh)
        let other = try Prover(world.clock)
        #expect(await world.refresh(first, [:]).error == "invalid_dpop_proof")
        #expect(await world.refresh(first, try other.field()).error == "invalid_grant")
        let second = try Tokens(await world.refresh(first, try prover.field()))
        #expect(second.response["token_type"] == "DPoP")
        let rotated = try #require(second.refresh)
        #expect(await world.refresh(rotated, try other.field()).error == "invalid_grant")
        #expect(await world.refresh(rotated, try prover.field()).status == .ok)
    }

    @Test("A refresh with a proof binds tokens that were unbound")
    func lateBinding() async throws {
        let first = try #require(try await world.tokens().refresh)
        let second = try Tokens(await world.refresh(first, try prover.field()))
        #expect(second.response["token_type"] == "DPoP")
        #expect(await world.refresh(try #require(second.refresh), [:]).error == "invalid_dpop_proof")
    }

    @Test("A confidential client's refresh token is bound to its authentication instead")
    func confidential() async throws {
        let world = try World { $0.clients[2].allowedScopes = [.openID, .offlineAccess] }
        let request = Parameters.webAuthorization { $0[.scope] = "openid offline_access" }
        let form = Parameters.codeGrant(try await world.code(request), redirectURI: request[.redirectURI]) {
            $0[.clientID] = "web app"
        }
        let basic: HTTPFields = [.authorization: "Basic d2ViJTIwYXBwOnAlMjVzcyUzQSUyMCUyQndvcmQ="]
        let first = try Tokens(await world.post("/token", form, fields: basic + prover.field()))
        #expect(first.response["token_type"] == "DPoP")
        let other = try Prover(world.clock)
        let second = await world.refresh(try #require(first.refresh), basic + (try other.field())) {
            $0[.clientID] = nil
        }
        #expect(try await world.verifiedClaims(Tokens(second).access)["cnf"] == ["jkt": .string(other.thumbprint)])
    }

    @Test("A key named in the authorization request is the only one that gets tokens for the code")
    func boundCode() async throws {
        let request = Parameters.authorization { $0[.dpopKeyThumbprint] = prover.thumbprint }
        let form = Parameters.codeGrant(try await world.code(request))
        #expect(await world.post("/token", form).error == "invalid_dpop_proof")
        let other = try Prover(world.clock)
        #expect(await world.post("/token", form, fields: try other.field()).error == "invalid_grant")
        #expect(await world.post("/token", form, fields: try prover.field()).status == .ok)
    }

    @Test("A dpop_jkt that is no thumbprint is rejected", arguments: ["short", String(repeating: "a", count: 44)])
    func thumbprint(text: String) async throws {
        let response = await world.browser().authorize(.authorization { $0[.dpopKeyThumbprint] = text })
        #expect(response.redirectError == "invalid_request")
    }
}

private func + (first: HTTPFields, second: HTTPFields) -> HTTPFields {
    var fields = first
    fields.append(contentsOf: second)
    return fields
}
