import Crypto
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
        let issuer = try Issuer("https://id.example.com")
        let key = try SigningKey.generate(.es256, keyID: "k")
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
            now: { now }
        )
        try await source.warm()
        let cold = try guarded(source, cache: nil, now)
        let cached = try guarded(source, cache: VerifiedTokenCache(), now)
        let raw = try rawES256(key.publicKey, bearer)
        let kit = JWTKeyCollection()
        func member(_ name: String) -> String? { key.publicKey.jsonObject[name]?.string }
        try await kit.add(jwk: .ecdsa(.es256, identifier: "k", x: member("x"), y: member("y"), curve: .p256))
        let request = ServerRequest(target: "/orders", fields: [.authorization: "Bearer \(bearer)"])
        // A proof is good once, so each one is made beforehand and used once.
        let proofs = try (0..<7000).map { try proof($0, bound, proofKey, now) }
        let next = Counter()
        Measurement.show(
            "Guard a route, ES256",
            try await Measurement.compare(
                iterations: 1000,
                [
                    ("swift-crypto alone: hash and signature", { precondition(raw()) }),
                    ("ostiary: bearer, every signature checked", { granted(cold.authorizeWithoutWaiting(request)) }),
                    ("ostiary: bearer, signature cached", { granted(cached.authorizeWithoutWaiting(request)) }),
                    (
                        "ostiary: DPoP, token cached, proof checked",
                        { granted(cached.authorizeWithoutWaiting(proofs[next.take() % proofs.count])) }
                    ),
                    (
                        "jwt-kit: the signature, four claims",
                        { _ = try await kit.verify(bearer, as: AccessClaims.self) }
                    ),
                ]
            )
        )
    }

    private static func guarded(
        _ source: KeySource,
        cache: VerifiedTokenCache?,
        _ now: Date
    ) throws -> ProtectedResource {
        let server = ResourceServer(
            keys: [source],
            proofs: try ProofChecking(
                origins: [ExternalOrigin("https://api.example.com")],
                replays: LocalReplayStore()
            ),
            cache: cache,
            now: { now }
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

    private static func rawES256(_ key: JSONWebKey, _ token: String) throws -> @Sendable () -> Bool {
        func bytes(_ name: String) throws -> [UInt8] { try Base64URL.decode(key.jsonObject[name]?.string ?? "") }
        let raw = try P256.Signing.PublicKey(x963Representation: [4] + bytes("x") + bytes("y"))
        let dot = token.lastIndex(of: ".") ?? token.endIndex
        let input = Array(token[..<dot].utf8)
        let signature = try Base64URL.decode(token[token.index(after: dot)...])
        return {
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return raw.isValidSignature(signature, for: SHA256.hash(data: input))
        }
    }

    private struct AccessClaims: JWTPayload {
        var iss: String
        var aud: String
        var scope: String
        var exp: Int
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }
}

/// Counts up, once for each call.
private final class Counter: Sendable {
    private let value = Mutex(0)
    func take() -> Int {
        value.withLock { value in
            value += 1
            return value - 1
        }
    }
}

/// A network on which there is one key set.
private struct OneKeySet: HTTPTransport {
    let key: JSONWebKey
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let document: JSONObject = ["keys": [.object(key.jsonObject)]]
        return EndpointResponse(fields: [.contentType: "application/json"], body: document.encoded())
    }
}
