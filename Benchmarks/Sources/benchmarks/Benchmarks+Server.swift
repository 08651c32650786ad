import Foundation
import HTTPTypes
import JWTKit
import Ostiary
import OstiaryJOSE
import OstiaryServer
import Synchronization

/// A request at a guarded route: from its header fields to the decision.
extension Benchmarks {
    static func guardRoutes() async throws {
        for algorithm in [SignatureAlgorithm.rs256, .es256] { try await guardRoute(algorithm) }
    }

    private static func guardRoute(_ algorithm: SignatureAlgorithm) async throws {
        let issuer = try Issuer("https://id.example.com")
        let key = try SigningKey.generate(algorithm, keyID: "k")
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let bearer = try key.sign(claims: accessTokenClaims(), type: "at+jwt")
        let proofKey = try SigningKey.generate(.es256)
        let bound = try key.sign(
            claims: accessTokenClaims(["cnf": ["jkt": .string(proofKey.publicKey.thumbprint())]]),
            type: "at+jwt"
        )
        let source = try KeySource(
            issuer: issuer,
            server: AuthorizationServer(issuer: issuer, jwksURI: URL(string: "https://id.example.com/jwks")),
            transport: OneKeySet(key: key.publicKey),
            clock: DeviceClock(now: { now })
        )
        try await source.warm()
        let cold = try guarded(source, cache: nil, now)
        let cached = try guarded(source, cache: VerifiedTokenCache(), now)
        let raw = try rawCheck(algorithm, by: key.publicKey, of: bearer)
        let kit = JWTKeyCollection()
        try await kit.add(jwk: kitKey(algorithm, key.publicKey))
        let request = ServerRequest(target: "/orders", fields: [.authorization: "Bearer \(bearer)"])
        // A proof is valid once, so each one is made beforehand and used once.
        let proofs = try (0..<7000).map { try proof($0, bound, proofKey, now) }
        let next = Counter()
        var contenders: [(name: String, body: @Sendable () async throws -> Void)] = [
            ("swift-crypto alone: hash and signature", { precondition(raw()) }),
            ("ostiary: bearer, every signature checked", { granted(cold.authorizeWithoutWaiting(request)) }),
            ("ostiary: bearer, signature cached", { granted(cached.authorizeWithoutWaiting(request)) }),
            ("jwt-kit: the signature, four claims", { _ = try await kit.verify(bearer, as: AccessClaims.self) }),
        ]
        // The proofs are signed with ES256, so they are compared with one check of that algorithm.
        if algorithm == .es256 {
            contenders.append(
                (
                    "ostiary: DPoP, token cached, proof checked",
                    { granted(cached.authorizeWithoutWaiting(proofs[next.take() % proofs.count])) }
                )
            )
        }
        Measurement.show(
            "Guard a route, \(algorithm.rawValue)",
            try await Measurement.compare(iterations: 1000, contenders)
        )
    }

    private static func guarded(
        _ source: KeySource,
        cache: VerifiedTokenCache?,
        _ now: Date
    ) throws -> ProtectedResource {
        let server = ResourceServer(
            keys: [source],
            dpop: try ProofChecking(
                origins: [ExternalOrigin("https://api.example.com")],
                replays: LocalReplayStore()
            ),
            cache: cache,
            clock: DeviceClock(now: { now })
        )
        return try server.resource(
            AccessTokenPolicy(
                issuer: source.issuer,
                audience: "https://api.example.com",
                requiredScopes: ["orders"],
                binding: .any
            )
        )
    }

    private static func granted(_ authorization: Authorization?) {
        guard case .granted? = authorization else { preconditionFailure("refused") }
    }

    private static func accessTokenClaims(_ more: JSONObject = [:]) -> JSONObject {
        var claims: JSONObject = [
            "iss": "https://id.example.com", "aud": "https://api.example.com", "sub": "248289761001",
            "client_id": "s6BhdRkqt3", "jti": "d4f1c2", "scope": "orders profile", "iat": 1_800_000_000,
            "exp": 1_800_003_600,
        ]
        for (name, value) in more.members { claims[name] = value }
        return claims
    }

    private static func proof(_ number: Int, _ token: String, _ key: SigningKey, _ now: Date) throws -> ServerRequest {
        let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.jsonObject)]
        let claims: JSONObject = [
            "jti": .string("proof-\(number)"), "htm": "GET", "htu": "https://api.example.com/orders",
            "iat": .integer(Int(now.timeIntervalSince1970)),
            "ath": .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array(token.utf8)))),
        ]
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        let compact = input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
        return ServerRequest(target: "/orders", fields: [.authorization: "DPoP \(token)", .dpop: compact])
    }

    private struct AccessClaims: JWTPayload {
        var iss: String
        var aud: String
        var scope: String
        var exp: Int
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }
}

/// A number that grows with each call.
private final class Counter: Sendable {
    private let value = Mutex(0)
    func take() -> Int {
        value.withLock { value in
            value += 1
            return value - 1
        }
    }
}

/// A transport that returns one key set.
private struct OneKeySet: HTTPTransport {
    let key: JSONWebKey
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let document: JSONObject = ["keys": [.object(key.jsonObject)]]
        return EndpointResponse(fields: [.contentType: "application/json"], body: document.encoded())
    }
}
