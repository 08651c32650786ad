import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: a backend that asks for a proof of the installation's key", .timeLimit(.minutes(5)))
struct SSAFYGuardTests {
    private static let origin = "https://partner.example.com"
    private static let path = "/api/ssafy/verify"
    private static let key = try! SigningKey.generate(.es256)

    /// A store of presented proofs that is unavailable.
    private struct Away: ReplayStore {
        func insert(
            _ identifier: StoreDigest,
            owner: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> ReplayAnswer {
            throw .unavailable
        }
        func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool { throw .unavailable }
    }

    private func partner(
        _ world: SSAFYWorld,
        nonces: ServerNonces? = nil,
        replays: any ReplayStore = MemoryServerStore(),
        limits: SSAFYHandoff.Limits = .init(),
        admitting admits: @escaping @Sendable (ServerRequest) async -> Bool = { _ in true }
    ) throws -> SSAFYPartner {
        let clock = world.clock
        return try SSAFYPartner(
            network: world.network,
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: clock,
            limits: limits,
            appGuard: NativeAppGuard(
                dpop: ProofChecking(origins: [ExternalOrigin(Self.origin)], replays: replays, nonces: nonces),
                clock: clock.device,
                admitting: admits
            )
        )
    }

    private static func nonces() throws -> ServerNonces {
        try ServerNonces(secrets: [Secret(String(repeating: "n", count: 32))], purpose: "test")
    }

    private static func proof(_ world: SSAFYWorld, nonce: String? = nil, path: String = path) throws -> String {
        let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.jsonObject)]
        var claims: JSONObject = [
            "jti": .string(UUID().uuidString), "htm": "POST", "htu": .string(origin + path),
            "iat": .integer(Int(world.clock.now.timeIntervalSince1970)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
    }

    private static func request(_ proofs: [String], sender: String? = "192.0.2.1") -> ServerRequest {
        var fields: HTTPFields = [.contentType: "application/json"]
        for proof in proofs { fields.append(HTTPField(name: .dpop, value: proof)) }
        return ServerRequest(method: .post, target: path, fields: fields, body: Array("{}".utf8), sender: sender)
    }

    private func code(_ response: ServerResponse) throws -> JSONValue? {
        try JSONObject(parsing: response.body)["errorCode"]
    }

    @Test("A request with a DPoP proof is admitted, and a replayed proof is rejected", .covers(.ssafy, rows: 58))
    func proven() async throws {
        let world = try SSAFYWorld()
        let handoff = try partner(world).handoff
        let request = Self.request([try Self.proof(world)])
        let first = await handoff.respond(to: request)
        #expect(try code(first) == "INVALID_REQUEST" && first.fields[.dpopNonce] == nil)
        let second = await handoff.respond(to: request)
        #expect(try second.status == .forbidden && code(second) == "VERIFY_REQUEST_FORBIDDEN")
    }

    @Test("A request without a proof, with two, or with another request's proof is rejected", .covers(.ssafy, rows: 58))
    func unproven() async throws {
        let world = try SSAFYWorld()
        let handoff = try partner(world, nonces: Self.nonces()).handoff
        let two = [try Self.proof(world), try Self.proof(world)]
        for proofs in [[], two, [try Self.proof(world, path: "/other")], ["x"]] {
            let response = await handoff.respond(to: Self.request(proofs))
            #expect(try response.status == .forbidden && code(response) == "VERIFY_REQUEST_FORBIDDEN")
        }
    }

    @Test(
        "A proof without a nonce is challenged with one, and admitted with it",
        .covers(.ssafy, rows: 58)
    )
    func nonce() async throws {
        let world = try SSAFYWorld()
        let handoff = try partner(world, nonces: Self.nonces()).handoff
        let first = await handoff.respond(to: Self.request([try Self.proof(world)]))
        #expect(try first.status == .unauthorized && code(first) == "VERIFY_REQUEST_FORBIDDEN")
        #expect(first.fields[.wwwAuthenticate]?.contains(#"DPoP error="use_dpop_nonce""#) == true)
        #expect(first.fields[.contentType]?.hasPrefix("application/json") == true)
        let nonce = try #require(first.fields[.dpopNonce])
        let second = await handoff.respond(to: Self.request([try Self.proof(world, nonce: nonce)]))
        #expect(try code(second) == "INVALID_REQUEST")
        // The next request has its nonce already.
        #expect(second.fields[.dpopNonce] == nonce)
    }

    @Test(
        "The app proves its installation key, answers the nonce challenge, and is verified",
        .covers(.ssafy, rows: 17, 58)
    )
    func appProves() async throws {
        let world = try SSAFYWorld()
        let partner = try partner(world, nonces: Self.nonces())
        func verify(_ key: InstallationKey?) async throws -> VerificationResult {
            try await world.verifier(
                backend: JSONVerificationBackend(
                    endpoint: SSAFYPartner.endpoint,
                    proving: key,
                    transport: partner,
                    clock: world.clock.device
                )
            ).verify()
        }
        #expect(try await verify(InstallationKey(store: world.store)).status == .verified)
        #expect(partner.requests.map { $0.fields[.dpop] != nil } == [true, true])
        await #expect(throws: VerificationError.self) { try await verify(nil) }
    }

    @Test("While the replay store is unavailable a proof gets 503 with Retry-After", .covers(.ssafy, rows: 58))
    func away() async throws {
        let world = try SSAFYWorld()
        let handoff = try partner(world, replays: Away()).handoff
        let response = await handoff.respond(to: Self.request([try Self.proof(world)]))
        #expect(response.status == .serviceUnavailable && response.fields[.retryAfter] == "1")
        #expect(try code(response) == "VERIFY_TOKEN_FAILED")
    }

    @Test(
        "A sender's limit is counted before its proof is checked, and does not use up the total limit",
        .covers(.ssafy, rows: 58)
    )
    func limited() async throws {
        let world = try SSAFYWorld()
        let limits = SSAFYHandoff.Limits(
            sender: RateLimit(2, per: .seconds(60)),
            total: RateLimit(1, per: .seconds(60))
        )
        let handoff = try partner(world, limits: limits).handoff
        func status(_ proofs: [String], of sender: String) async -> HTTPResponse.Status {
            await handoff.respond(to: Self.request(proofs, sender: sender)).status
        }
        #expect(await status([], of: "a") == .forbidden)
        #expect(await status([], of: "a") == .forbidden)
        #expect(await status([try Self.proof(world)], of: "a") == .tooManyRequests)
        #expect(await status([try Self.proof(world)], of: "b") == .badRequest)
        #expect(await status([try Self.proof(world)], of: "b") == .tooManyRequests)
    }

    @Test("The admission closure runs after the proof is checked", .covers(.ssafy, rows: 58))
    func more() async throws {
        let world = try SSAFYWorld()
        let handoff = try partner(world, admitting: { $0.fields[.userAgent] == "app" }).handoff
        var request = Self.request([try Self.proof(world)])
        #expect(await handoff.respond(to: request).status == .forbidden)
        request = Self.request([try Self.proof(world)])
        request.fields[.userAgent] = "app"
        #expect(await handoff.respond(to: request).status == .badRequest)
    }
}
