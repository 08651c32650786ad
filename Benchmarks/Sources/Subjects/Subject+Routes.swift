import Foundation
import HTTPTypes
public import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer
import Synchronization

extension Subject {
    /// A request at a guarded route: from its header fields to the decision.
    ///
    /// A proof is valid once, so that there is one for each operation: `operations` is their largest number.
    public static func guardedRoute(of token: String, by key: SigningKey, operations: Int) throws -> Subject {
        let cold = try guarded(by: key, cache: nil)
        let cached = try guarded(by: key, cache: VerifiedTokenCache())
        let request = ServerRequest(target: "/orders", fields: [.authorization: "Bearer \(token)"])
        var rows = [
            try raw(of: token, by: key),
            Row("ostiary: bearer, every signature checked") { granted(cold.authorizeWithoutWaiting(request)) },
            Row("ostiary: bearer, signature cached") { granted(cached.authorizeWithoutWaiting(request)) },
        ]
        // The proofs are signed with ES256, so they are compared with one check of that algorithm.
        if key.algorithm == .es256 {
            let proofKey = try SigningKey.generate(.es256)
            let bound = try accessToken(by: key, ["cnf": ["jkt": .string(proofKey.publicKey.thumbprint())]])
            let requests = try (0..<operations).map { try proven($0, bound, proofKey) }
            let next = Mutex(0)
            rows.append(
                Row("ostiary: DPoP, token cached, proof checked") {
                    let place = next.withLock { next in
                        next += 1
                        return next - 1
                    }
                    granted(cached.authorizeWithoutWaiting(requests[place]))
                }
            )
        }
        return Subject(title: "Guard a route, \(key.algorithm.rawValue)", rows: rows)
    }

    /// An access token of eight claims for the guarded route.
    public static func accessToken(by key: SigningKey, _ more: JSONObject = [:]) throws -> String {
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(audience), "sub": "248289761001", "client_id": "s6BhdRkqt3",
            "jti": "d4f1c2", "scope": "orders profile", "iat": 1_800_000_000, "exp": 1_800_003_600,
        ]
        for (name, value) in more.members { claims[name] = value }
        return try key.sign(claims: claims, type: "at+jwt")
    }

    private static let issuer = "https://id.example.com"
    private static let audience = "https://api.example.com"
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func guarded(by key: SigningKey, cache: VerifiedTokenCache?) throws -> ProtectedResource {
        let clock = DeviceClock(now: { now })
        let snapshot: JSONObject = [
            "jwks_uri": "https://id.example.com/jwks", "fetched": 1_800_000_000, "lifetime": 86_400,
            "keys": [.object(key.publicKey.jsonObject)],
        ]
        let source = try KeySource(
            issuer: Issuer(issuer),
            snapshot: KeySetCache.Snapshot(parsing: snapshot.encoded()),
            transport: UnusedTransport(),
            clock: clock
        )
        let server = ResourceServer(
            keys: [source],
            dpop: try ProofChecking(origins: [ExternalOrigin(audience)], replays: LocalReplayStore()),
            cache: cache,
            clock: clock
        )
        return try server.resource(
            AccessTokenPolicy(issuer: source.issuer, audience: audience, requiredScopes: ["orders"], binding: .any)
        )
    }

    private static func granted(_ authorization: Authorization?) {
        guard case .granted? = authorization else { preconditionFailure("refused") }
    }

    private static func proven(_ number: Int, _ token: String, _ key: SigningKey) throws -> ServerRequest {
        let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.jsonObject)]
        let claims: JSONObject = [
            "jti": .string("proof-\(number)"), "htm": "GET", "htu": .string(audience + "/orders"),
            "iat": .integer(Int(now.timeIntervalSince1970)),
            "ath": .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array(token.utf8)))),
        ]
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        let compact = input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
        return ServerRequest(target: "/orders", fields: [.authorization: "DPoP \(token)", .dpop: compact])
    }
}

/// The keys are there from the start.
private struct UnusedTransport: HTTPTransport {
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        preconditionFailure("a request to \(request.url)")
    }
}
