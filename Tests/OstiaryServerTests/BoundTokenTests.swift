import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Tokens that are bound to a key")
struct BoundTokenTests {
    private let transport = ScriptedTransport()
    private let clock = MovedClock()
    private static let nonces = try! ServerNonces(
        secrets: [Secret(String(repeating: "s", count: 32))],
        purpose: "api"
    )

    private func resource(
        _ binding: TokenBinding = .dpop,
        nonces: ServerNonces? = nil,
        replays: any ReplayStore = LocalReplayStore(),
        storeFailures: ProofChecking.StoreFailurePolicy = .refuse,
        origins: [String] = [Proofs.origin]
    ) throws -> ProtectedResource {
        var names: [ExternalOrigin] = []
        for origin in origins { names.append(try ExternalOrigin(origin)) }
        let server = ResourceServer(
            keys: [try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device)],
            dpop: try ProofChecking(
                origins: names,
                replays: replays,
                nonces: nonces,
                algorithms: [.es256],
                storeFailures: storeFailures
            ),
            clock: clock.device
        )
        return try server.resource(
            AccessTokenPolicy(
                issuer: Fixtures.issuer,
                audience: Fixtures.audience,
                requiredScopes: ["orders:read"],
                binding: binding
            )
        )
    }

    private func reason(_ authorization: Authorization) -> Authorization.Refusal.Reason? {
        if case .refused(let refusal) = authorization { refusal.reason } else { nil }
    }

    @Test("A bound token with a proof by its key is granted")
    func granted() async throws {
        let token = Proofs.token()
        guard
            case .granted(let verified, _) = await (try resource()).authorize(
                Proofs.request(token, [Proofs.proof(token)])
            )
        else {
            Issue.record("The request was refused.")
            return
        }
        #expect(verified.subject == "alice")
        #expect(verified.proofKeyThumbprint == Proofs.key.publicKey.thumbprint())
    }

    @Test("A proof's htu is compared without query and without the host's case")
    func url() async throws {
        let token = Proofs.token()
        let resource = try resource()
        let proof = Proofs.proof(token, claims: { $0["htu"] = "https://API.example.com:443/orders?page=2#x" })
        #expect(reason(await resource.authorize(Proofs.request(token, [proof], target: "/orders?page=3"))) == nil)
    }

    @Test("A proof may name any of the server's configured origins, and not the request's Host")
    func origins() async throws {
        let token = Proofs.token()
        let resource = try resource(origins: ["https://other.example/api", Proofs.origin])
        let other = Proofs.proof(token, claims: { $0["htu"] = "https://other.example/api/orders" })
        #expect(reason(await resource.authorize(Proofs.request(token, [other]))) == nil)
        var request = Proofs.request(
            token,
            [Proofs.proof(token, claims: { $0["htu"] = "https://evil.example/orders" })]
        )
        request.fields[HTTPField.Name("X-Forwarded-Host")!] = "evil.example"
        request.fields[HTTPField.Name("Forwarded")!] = "host=evil.example;proto=https"
        #expect(reason(await resource.authorize(request)) == .proof(.url))
    }

    @Test("A proof that fails any check is rejected with the check's name")
    func checks() async throws {
        let token = Proofs.token()
        let resource = try resource()
        let wrong: [(ProofRefusal, [String])] = [
            (.count, []), (.count, [Proofs.proof(token), Proofs.proof(token)]), (.form, ["x"]),
            (.form, [String(repeating: "x", count: 8193)]),
            (.type, [Proofs.proof(token, type: "jwt")]),
            (.algorithm, [Proofs.proof(token, by: Fixtures.rsaKey)]),
            (.algorithm, [Proofs.proof(token, header: { $0["alg"] = "none" })]),
            (.algorithm, [Proofs.proof(token, header: { $0["alg"] = "HS256" })]),
            (.key, [Proofs.proof(token, header: { $0["jwk"] = nil })]),
            (
                .privateKey,
                [
                    Proofs.proof(
                        token,
                        header: { header in
                            var jwk = header["jwk"]?.object ?? [:]
                            jwk["d"] = "AAAA"
                            header["jwk"] = .object(jwk)
                        }
                    )
                ]
            ),
            (.signature, [Proofs.proof(token, header: { $0["jwk"] = .object(Proofs.otherKey.publicKey.jsonObject) })]),
            (.identifier, [Proofs.proof(token, claims: { $0["jti"] = nil })]),
            (.identifier, [Proofs.proof(token, jti: String(repeating: "j", count: 257))]),
            (.method, [Proofs.proof(token, method: "POST")]),
            (.url, [Proofs.proof(token, path: "/orders/")]),
            (.url, [Proofs.proof(token, claims: { $0["htu"] = "http://api.example.com/orders" })]),
            (.time, [Proofs.proof(token, now: Fixtures.now.addingTimeInterval(-61))]),
            (.time, [Proofs.proof(token, now: Fixtures.now.addingTimeInterval(11))]),
            (.time, [Proofs.proof(token, claims: { $0["iat"] = nil })]),
            (.accessTokenHash, [Proofs.proof(nil)]), (.accessTokenHash, [Proofs.proof("another token")]),
        ]
        for (refusal, proofs) in wrong {
            let authorization = await resource.authorize(Proofs.request(token, proofs))
            #expect(reason(authorization) == .proof(refusal))
            guard case .refused(let answer) = authorization else { continue }
            #expect(answer.status == .unauthorized)
            #expect(answer.fields[.wwwAuthenticate]?.hasPrefix("DPoP error=\"invalid_dpop_proof\"") == true)
        }
    }

    @Test("A proof made up to 60 seconds ago or 10 seconds ahead is accepted", arguments: [-60.0, 10])
    func window(_ offset: Double) async throws {
        let token = Proofs.token()
        let proof = Proofs.proof(token, now: Fixtures.now.addingTimeInterval(offset))
        #expect(reason(await (try resource()).authorize(Proofs.request(token, [proof]))) == nil)
    }

    @Test("A replayed proof is rejected, and another key may use the same jti")
    func replay() async throws {
        let resource = try resource()
        let token = Proofs.token()
        let request = Proofs.request(token, [Proofs.proof(token, jti: "one")])
        #expect(reason(await resource.authorize(request)) == nil)
        #expect(reason(await resource.authorize(request)) == .proof(.replayed))
        #expect(reason(try #require(resource.authorizeWithoutWaiting(request))) == .proof(.replayed))
        let other = Proofs.token(to: Proofs.otherKey)
        let theirs = Proofs.request(other, [Proofs.proof(other, by: Proofs.otherKey, jti: "one")])
        #expect(reason(await resource.authorize(theirs)) == nil)
    }

    @Test("A decision that waits for the replay store checks no proof twice")
    func once() async throws {
        let token = Proofs.token()
        let wrong = Proofs.request(token, [Proofs.proof(token, path: "/invoices")])
        let shared = try resource(replays: MemoryServerStore())
        #expect(shared.authorizeWithoutWaiting(wrong) == nil)
        #expect(reason(await shared.authorize(wrong)) == .proof(.url))
        let local = try resource()
        #expect(reason(try #require(local.authorizeWithoutWaiting(wrong))) == .proof(.url))
        let bearer = try resource(.any, replays: MemoryServerStore())
        _ = await bearer.authorize(ServerRequest(fields: Fixtures.bearer()))
        #expect(bearer.authorizeWithoutWaiting(ServerRequest(fields: Fixtures.bearer())) != nil)
    }

    @Test("Concurrent requests with one proof are granted once")
    func race() async throws {
        let resource = try resource()
        let token = Proofs.token()
        _ = await resource.authorize(Proofs.request(token, [Proofs.proof(token)]))
        let request = Proofs.request(token, [Proofs.proof(token)])
        let granted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { if case .granted = await resource.authorize(request) { true } else { false } }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(granted == 1)
    }

    @Test("A rejected token leaves its proof unused")
    func proofIsKept() async throws {
        let replays = LocalReplayStore()
        let expired = Proofs.token { $0["exp"] = 1 }
        let authorization = await (try resource(replays: replays))
            .authorize(Proofs.request(expired, [Proofs.proof(expired)]))
        #expect(reason(authorization) != nil && replays.count == 0)
    }

    @Test("A bound token without its proof, with another key's, or an unbound token with a proof is rejected")
    func symmetry() async throws {
        let resource = try resource(.any)
        let bound = Proofs.token()
        let stolen = await resource.authorize(Proofs.request(bound, [], scheme: "Bearer"))
        #expect(check(stolen) == .confirmation)
        #expect(stolen.challenges.first?.hasPrefix("DPoP error=\"invalid_token\"") == true)
        let foreign = Proofs.request(bound, [Proofs.proof(bound, by: Proofs.otherKey)])
        #expect(check(await resource.authorize(foreign)) == .confirmation)
        let unbound = Fixtures.token()
        #expect(check(await resource.authorize(Proofs.request(unbound, [Proofs.proof(unbound)]))) == .confirmation)
        #expect(reason(await resource.authorize(ServerRequest(fields: Fixtures.bearer()))) == nil)
    }

    @Test("A route for bound tokens rejects others with a DPoP challenge and its algorithms")
    func binding() async throws {
        let resource = try resource(.dpop)
        let unbound = await resource.authorize(ServerRequest(fields: Fixtures.bearer()))
        #expect(check(unbound) == .binding)
        let none = await resource.authorize(ServerRequest())
        #expect(none.challenges == [#"DPoP scope="orders:read", algs="ES256""#])
        let both = await (try self.resource(.any)).authorize(ServerRequest())
        #expect(both.challenges == [#"DPoP scope="orders:read", algs="ES256""#, #"Bearer scope="orders:read""#])
    }

    @Test(
        "A token with an unknown confirmation method is rejected",
        arguments: [JSONValue.object(["kid": "k"]), .object([:]), "x", .object(["jkt": 1]), .null]
    )
    func unknownConfirmation(_ value: JSONValue) async throws {
        let token = Proofs.token { $0["cnf"] = value }
        #expect(
            check(await (try resource(.any)).authorize(Proofs.request(token, [Proofs.proof(token)]))) == .confirmation
        )
        let bearer = Proofs.request(token, [], scheme: "Bearer")
        #expect(check(await (try resource(.any)).authorize(bearer)) == .confirmation)
    }

    @Test("An error of a DPoP request has one challenge, and a bearer token's error comes first")
    func oneChallenge() async throws {
        let nonces = try ServerNonces(secrets: [Secret(String(repeating: "s", count: 32))], purpose: "api")
        let resource = try resource(.any, nonces: nonces)
        let token = Proofs.token()
        let answer = await resource.authorize(Proofs.request(token, [Proofs.proof(token)]))
        #expect(answer.challenges.count == 1)
        #expect(answer.challenges.first?.hasPrefix("DPoP error=\"use_dpop_nonce\"") == true)
        let expired = Fixtures.token { $0["exp"] = 1 }
        let bearer = await resource.authorize(ServerRequest(fields: Fixtures.bearer(expired)))
        #expect(bearer.challenges.count == 2)
        #expect(bearer.challenges.first?.hasPrefix("Bearer error=\"invalid_token\"") == true)
    }

    @Test("A proof without a nonce is challenged with one, and each response brings the next")
    func nonces() async throws {
        let nonces = try ServerNonces(secrets: [Secret(String(repeating: "s", count: 32))], purpose: "api")
        let resource = try resource(nonces: nonces)
        let token = Proofs.token()
        guard case .refused(let refusal) = await resource.authorize(Proofs.request(token, [Proofs.proof(token)])) else {
            Issue.record("The request was granted.")
            return
        }
        #expect(refusal.reason == .proof(.nonce))
        #expect(refusal.fields[.wwwAuthenticate]?.contains(#"error="use_dpop_nonce""#) == true)
        #expect(refusal.fields[.cacheControl] == "no-store")
        let nonce = try #require(refusal.fields[.dpopNonce])
        let answered = {
            let proof = Proofs.proof(token, now: clock.now(), claims: { $0["nonce"] = .string(nonce) })
            return Proofs.request(token, [proof])
        }
        guard case .granted(_, let fields) = await resource.authorize(answered()) else {
            Issue.record("The request was refused.")
            return
        }
        #expect(fields[.dpopNonce] == nonces.current(at: clock.now()))
        clock.advance(by: .seconds(120))
        #expect(reason(await resource.authorize(answered())) == nil)
        clock.advance(by: .seconds(120))
        #expect(reason(await resource.authorize(answered())) == .proof(.nonce))
    }

    /// A proof by a device whose clock is off by so many seconds, with a nonce.
    private func offClock(_ token: String, by offset: Double, _ nonce: String?) -> ServerRequest {
        let proof = Proofs.proof(
            token,
            jti: "one",
            now: clock.now().addingTimeInterval(offset),
            claims: { $0["nonce"] = nonce.map(JSONValue.string) }
        )
        return Proofs.request(token, [proof])
    }

    @Test(
        "A valid nonce proves a proof's age, so a device clock wrong by up to a day is accepted",
        arguments: [-86_400.0, -18_000, 11, 18_000, 86_400]
    )
    func wrongClock(_ offset: Double) async throws {
        let resource = try resource(nonces: Self.nonces)
        let token = Proofs.token()
        // Without a nonce it hears of one, and not that its clock is wrong.
        #expect(reason(await resource.authorize(offClock(token, by: offset, nil))) == .proof(.nonce))
        let nonce = Self.nonces.current(at: clock.now())
        #expect(reason(await resource.authorize(offClock(token, by: offset, nonce))) == nil)
        let without = try self.resource()
        #expect(reason(await without.authorize(offClock(token, by: offset, nonce))) == .proof(.time))
    }

    @Test(
        "A device clock wrong by more than a day is rejected, even with a valid nonce",
        arguments: [-86_401.0, 86_401]
    )
    func veryWrongClock(_ offset: Double) async throws {
        let request = offClock(Proofs.token(), by: offset, Self.nonces.current(at: clock.now()))
        #expect(reason(await (try resource(nonces: Self.nonces)).authorize(request)) == .proof(.time))
    }

    @Test("A proof with a nonce is accepted once while its nonce is valid", arguments: [-86_160.0, 0, 86_400])
    func replayedNonce(_ offset: Double) async throws {
        let resource = try resource(nonces: Self.nonces, replays: MemoryServerStore())
        let token = Proofs.token()
        let request = offClock(token, by: offset, Self.nonces.current(at: clock.now()))
        #expect(reason(await resource.authorize(request)) == nil)
        // The moment of the fixtures is the first of a nonce's period.
        clock.advance(by: .seconds(239))
        #expect(reason(await resource.authorize(request)) == .proof(.replayed))
        clock.advance(by: .seconds(1))
        #expect(reason(await resource.authorize(request)) == .proof(.nonce))
    }

    @Test("Nonces of a retired secret are accepted while it is configured")
    func rotation() throws {
        let (old, new) = (Secret(String(repeating: "o", count: 32)), Secret(String(repeating: "n", count: 32)))
        let before = try ServerNonces(secrets: [old], purpose: "api").current(at: Fixtures.now)
        let both = try ServerNonces(secrets: [new, old], purpose: "api")
        #expect(both.accepts(before, at: Fixtures.now) && both.current(at: Fixtures.now) != before)
        #expect(!(try ServerNonces(secrets: [new], purpose: "api")).accepts(before, at: Fixtures.now))
        #expect(!(try ServerNonces(secrets: [old], purpose: "other")).accepts(before, at: Fixtures.now))
        #expect(throws: SignInError.self) { try ServerNonces(secrets: [Secret("short")], purpose: "api") }
        #expect(!"\(both)".contains("nnn"))
    }

    @Test("While the replay store is down no proof is accepted, unless a nonce limits its age")
    func storeDown() async throws {
        let token = Proofs.token()
        let request = Proofs.request(token, [Proofs.proof(token)])
        let strict = await (try resource(replays: BrokenReplays())).authorize(request)
        #expect(reason(strict) == .storeUnavailable(.unavailable))
        let careless = await (try resource(replays: BrokenReplays(), storeFailures: .relyOnNonce)).authorize(request)
        #expect(reason(careless) == .storeUnavailable(.unavailable))
        let nonces = try ServerNonces(secrets: [Secret(String(repeating: "s", count: 32))], purpose: "api")
        let answered = Proofs.proof(token, claims: { $0["nonce"] = .string(nonces.current(at: Fixtures.now)) })
        let relying = await (try resource(nonces: nonces, replays: BrokenReplays(), storeFailures: .relyOnNonce))
            .authorize(Proofs.request(token, [answered]))
        #expect(reason(relying) == nil)
    }

    @Test("A key has limited room for proofs, and does not use up another key's")
    func room() async throws {
        let replays = LocalReplayStore(ownerRoom: 2)
        let resource = try resource(replays: replays)
        let token = Proofs.token()
        for expected in [nil, nil, Authorization.Refusal.Reason.proof(.tooMany)] {
            #expect(reason(await resource.authorize(Proofs.request(token, [Proofs.proof(token)]))) == expected)
        }
        let other = Proofs.token(to: Proofs.otherKey)
        let theirs = Proofs.request(other, [Proofs.proof(other, by: Proofs.otherKey)])
        #expect(reason(await resource.authorize(theirs)) == nil)
        clock.advance(by: .seconds(62))
        let later = Proofs.request(token, [Proofs.proof(token, now: clock.now())])
        #expect(reason(await resource.authorize(later)) == nil)
    }

    @Test("A route for bound tokens without a DPoP verifier is refused")
    func configuration() throws {
        let server = ResourceServer(keys: [try KeySource(issuer: Fixtures.issuer, transport: transport)])
        let policy = try AccessTokenPolicy(issuer: Fixtures.issuer, audience: Fixtures.audience, binding: .dpop)
        #expect(throws: SignInError.self) { try server.resource(policy) }
        #expect(throws: SignInError.self) { try ProofChecking(origins: [], replays: LocalReplayStore()) }
        #expect(throws: SignInError.self) { try ExternalOrigin("http://api.example.com") }
        #expect(throws: SignInError.self) { try ExternalOrigin("https://api.example.com?x") }
    }

    private func check(_ authorization: Authorization) -> AccessTokenRefusal.Check? {
        if case .token(let refusal)? = reason(authorization) { refusal.check } else { nil }
    }
}

extension Authorization {
    /// Every challenge of a refusal.
    var challenges: [String] {
        if case .refused(let refusal) = self { refusal.fields[values: .wwwAuthenticate] } else { [] }
    }
}

/// A store that cannot be reached.
struct BrokenReplays: ReplayStore {
    func insert(
        _ identifier: StoreDigest,
        owner: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> ReplayAnswer { throw .unavailable }

    func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool { throw .unavailable }
}
