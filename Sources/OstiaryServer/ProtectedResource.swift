public import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A route, or a whole resource server, that asks for an access token.
///
///     let keys = try KeySource(issuer: issuer, transport: transport)
///     let orders = try ProtectedResource(
///         policy: AccessTokenPolicy(issuer: issuer, audience: "https://api.example.com", requiredScopes: ["orders"]),
///         keys: keys)
///     switch await orders.authorize(fields: request.headerFields) {
///     case .granted(let token): …
///     case .refused(let refusal): …    // refusal.status, refusal.fields
///     }
public struct ProtectedResource: Sendable {
    /// What tokens have to be.
    public let policy: AccessTokenPolicy
    /// The name of what is protected, as challenges give it; `nil` gives none.
    public let realm: String?

    private let keys: KeySource
    private let now: @Sendable () -> Date

    /// Protects something.
    ///
    /// - Parameters:
    ///   - policy: What tokens have to be.
    ///   - keys: Where the issuer's keys are; share one among the routes.
    ///   - realm: The name of what is protected. Default: none.
    ///   - now: The time. Default: the system's clock.
    /// - Throws: `configuration` at stage `keys` when policy and keys are of two issuers.
    public init(
        policy: AccessTokenPolicy,
        keys: KeySource,
        realm: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(SignInError) {
        guard policy.issuer == keys.issuer else {
            throw SignInError(.keys, .configuration("The keys are of another issuer: give those of \(policy.issuer)."))
        }
        self.policy = policy
        self.keys = keys
        self.realm = realm
        self.now = now
    }

    /// The same resource for a route that asks for more scopes; it shares the keys.
    ///
    /// - Throws: `configuration` at stage `token` for a scope that is none.
    public func requiring(_ scopes: [Scope]) throws(SignInError) -> ProtectedResource {
        try ProtectedResource(policy: policy.requiring(scopes), keys: keys, realm: realm, now: now)
    }

    /// Decides on a request by its header fields.
    ///
    /// Keys are fetched only for a token that could be good: of the right type, and signed with an accepted algorithm.
    public func authorize(fields: HTTPFields) async -> Authorization {
        switch decision(on: fields) {
        case .made(let authorization): return authorization
        case .needsKeys(let token, let algorithm):
            do throws(SignInError) {
                let keys = try await keys.keys(keyID: token.header.keyID, algorithm: algorithm)
                return authorization(of: token, by: keys)
            } catch {
                return .refused(Authorization.Refusal(keysUnavailable: error))
            }
        }
    }

    /// Decides on a request without waiting; `nil` when keys have to be fetched first, which
    /// ``authorize(fields:)`` does.
    public func authorizeWithoutWaiting(fields: HTTPFields) -> Authorization? {
        switch decision(on: fields) {
        case .made(let authorization): authorization
        case .needsKeys: nil
        }
    }

    private enum Decision {
        case made(Authorization)
        case needsKeys(UnverifiedJWT, SignatureAlgorithm)
    }

    /// Decides as far as the keys at hand allow.
    private func decision(on fields: HTTPFields) -> Decision {
        switch BearerCredentials(in: fields) {
        case .absent: .made(.refused(Authorization.Refusal(.noToken, challenge: challenge())))
        case .malformed:
            .made(
                .refused(
                    Authorization.Refusal(
                        .malformedCredentials,
                        challenge: challenge(.invalidRequest, "The request has no single, well-formed bearer token.")
                    )
                )
            )
        case .token(let token): decision(on: token.reveal())
        }
    }

    private func decision(on token: String) -> Decision {
        switch AccessTokenVerifier(policy).read(token) {
        case .failure(let refusal): return .made(refused(refusal))
        case .success(let token):
            // `read` lets only known algorithms through, so the refusal is never the one that is answered.
            guard let algorithm = SignatureAlgorithm(rawValue: token.header.algorithmName) else {
                return .made(refused(AccessTokenRefusal(.algorithm)))
            }
            guard let keys = keys.keysAtHand(keyID: token.header.keyID, algorithm: algorithm) else {
                return .needsKeys(token, algorithm)
            }
            return .made(authorization(of: token, by: keys))
        }
    }

    private func authorization(of token: UnverifiedJWT, by keys: JSONWebKeySet) -> Authorization {
        switch AccessTokenVerifier(policy).verify(token, by: keys, now: now()) {
        case .accepted(let token): .granted(token)
        case .refused(let refusal): refused(refusal)
        }
    }

    private func refused(_ refusal: AccessTokenRefusal) -> Authorization {
        .refused(Authorization.Refusal(.token(refusal), challenge: challenge(refusal.code, refusal.description)))
    }

    private func challenge(_ error: OAuthError.Code? = nil, _ description: String? = nil) -> BearerChallenge {
        BearerChallenge(realm: realm, error: error, errorDescription: description, scopes: policy.requiredScopes)
    }
}
