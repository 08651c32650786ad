import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Rules of one client")
struct OwnRulesTests {
    private static let elliptic = ProviderRules(name: "elliptic") { $0.algorithms = [.es256] }
    private static let kept = ProviderRules(name: "kept") { $0.refreshTokens = .kept }

    private func algorithm(_ token: String?) throws -> JSONValue? {
        let header = try Base64URL.decode(try #require(token).split(separator: ".")[0])
        return try JSONObject(parsing: header)["alg"]
    }

    @Test(
        "A client's tokens are signed with an algorithm of its own rules",
        arguments: [[.rs256, .es256], [.rs256]] as [[SignatureAlgorithm]]
    )
    func algorithms(signing: [SignatureAlgorithm]) async throws {
        let world = try World {
            $0.signingAlgorithms = signing
            $0.clients[0].rules = Self.elliptic
            $0.clients[0].idTokenAlgorithm = .rs256
        }
        let tokens = try await world.tokens()
        #expect(try algorithm(tokens.id) == "ES256")
        #expect(try algorithm(tokens.access) == "ES256")
    }

    @Test("A user info response that is registered for a refused algorithm is signed with an accepted one")
    func userInfoAlgorithm() async throws {
        let world = try World {
            $0.rules = Self.elliptic
            $0.clients[0].userInfoAlgorithm = .rs256
        }
        let response = await world.userInfo(try await world.tokens().access)
        guard case .bytes(let bytes) = response.content else { throw Missing() }
        #expect(response.status == .ok)
        #expect(try algorithm(String(decoding: bytes, as: UTF8.self)) == "ES256")
    }

    @Test("A DPoP proof with an algorithm that a client's own rules reject is rejected, and served for another client")
    func proofAlgorithm() async throws {
        for (rules, error) in [(Self.elliptic, "invalid_dpop_proof"), (nil, "invalid_grant")] {
            let world = try World { $0.clients[0].rules = rules }
            let fields = try Prover(world.clock, .edDSA).field()
            #expect(await world.post("/token", .codeGrant("unknown"), fields: fields).error == error)
        }
    }

    @Test("A client with strict rules at a fapi2 provider gets a new refresh token at each refresh")
    func rotation() async throws {
        let world = try World {
            $0.rules = .fapi2
            $0.clients[0].rules = .strict
        }
        let first = try #require(try await world.tokens().refresh)
        let second = try Tokens(await world.refresh(first)).refresh
        #expect(second != nil && second != first)
        #expect(await world.refresh(first).error == "invalid_grant")
    }

    @Test("An unbound refresh token of a public client is replaced under every rule set")
    func publicRotation() async throws {
        let world = try World { $0.rules = Self.kept }
        let first = try #require(try await world.tokens().refresh)
        let second = try Tokens(await world.refresh(first)).refresh
        #expect(second != nil && second != first)
        #expect(await world.refresh(first).error == "invalid_grant")
    }

    @Test("A confidential client whose own rules keep refresh tokens gets the same one again")
    func kept() async throws {
        let world = try World {
            $0.clients[3].rules = Self.kept
            $0.clients[3].grantTypes = [.authorizationCode, .refreshToken]
        }
        let request = Parameters.authorization {
            $0[.clientID] = "poster"
            $0[.redirectURI] = "https://app.example.com/callback?from=provider"
        }
        let credentials: Parameters = [.clientID: "poster", .clientSecret: "posted"]
        let code = try await world.code(request)
        let grant = Parameters.codeGrant(code, redirectURI: request[.redirectURI])
        let first = try #require(try Tokens(await world.post("/token", grant.merging(credentials))).refresh)
        let form: Parameters = [.grantType: "refresh_token", .refreshToken: first]
        for _ in 1...2 {
            #expect(try Tokens(await world.post("/token", form.merging(credentials))).refresh == first)
        }
    }
}

extension Parameters {
    fileprivate func merging(_ other: Parameters) -> Parameters {
        other.pairs.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
