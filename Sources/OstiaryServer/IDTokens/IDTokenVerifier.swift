public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An ID token that passed every check of its policy.
public struct VerifiedIDToken: Sendable, Hashable {
    /// Every claim.
    public let claims: JSONObject

    /// The user's identifier at the issuer (`sub`).
    public var subject: String { claims["sub"]?.string ?? "" }
    /// When the user authenticated (`auth_time`); `nil` where the token does not say.
    public var authenticatedAt: Date? { claims.date("auth_time") }
    /// The email address (`email`), which may change or pass to another user: only `sub` identifies a user.
    public var email: String? { claims["email"]?.string }
    /// Whether the issuer has verified the address: `email_verified` is true.
    ///
    /// Apple sends it as a string.
    public var isEmailVerified: Bool { claims.isEmailVerified }
}

extension VerifiedIDToken: CustomStringConvertible, CustomReflectable {
    /// The name of the type alone: the claims are about a user.
    public var description: String { "VerifiedIDToken" }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason that an ID token was not accepted; it contains nothing of the token.
public enum IDTokenFailure: Error, Sendable, Hashable {
    /// A check failed.
    case refused(Check)
    /// The issuer's keys are unavailable, so the token cannot be verified.
    case keysUnavailable(SignInError)

    /// A check, named after the header parameter or claim.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// The token is not a signed JSON Web Token, or is too long.
        case form
        /// The token is of another kind.
        case type = "typ"
        /// The signature's algorithm is not allowed.
        case algorithm = "alg"
        /// No key of the issuer matches.
        case key = "kid"
        /// The signature is invalid.
        case signature
        /// The issuer is another one.
        case issuer = "iss"
        /// The audience does not contain the client.
        case audience = "aud"
        /// The authorized party is not the client.
        case party = "azp"
        /// The nonce is another one, or missing.
        case nonce
        /// The token has expired, or has no `exp`.
        case expiry = "exp"
        /// The token is not valid yet.
        case notBefore = "nbf"
        /// The token was issued in the future.
        case issuedAt = "iat"
        /// The token has no subject.
        case subject = "sub"
        /// A claim does not have the required value.
        case claim
        /// The user did not authenticate by every required method.
        case method = "amr"
        /// The user authenticated too long ago, or the token does not say when.
        case authenticationTime = "auth_time"
    }
}

/// Verifies ID tokens by one policy.
public struct IDTokenVerifier: Sendable {
    /// The requirements of tokens.
    public let policy: IDTokenPolicy
    private let keys: KeySource
    private let now: @Sendable () -> Date

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - policy: The requirements of tokens.
    ///   - keys: The issuer's keys.
    ///   - clock: The time. Default: the system's.
    /// - Throws: `configuration` at stage `keys` when policy and keys are of different issuers.
    public init(
        policy: IDTokenPolicy,
        keys: KeySource,
        clock: DeviceClock = .server
    ) throws(SignInError) {
        guard policy.issuer == keys.issuer else {
            throw SignInError(.keys, .configuration("The keys are another issuer's: give those of \(policy.issuer)."))
        }
        self.policy = policy
        self.keys = keys
        now = clock.now
    }

    /// Verifies a token, fetching keys if necessary.
    ///
    /// - Parameters:
    ///   - compact: The token as received.
    ///   - nonce: The nonce that the backend issued for this sign-in, taken from its store so that it counts once. A
    ///     policy that requires a nonce rejects every token without it. Default: none.
    /// - Returns: The verified token.
    /// - Throws: ``IDTokenFailure``.
    public func verify(_ compact: Secret, nonce: Secret? = nil) async throws(IDTokenFailure) -> VerifiedIDToken {
        let (token, algorithm) = try read(compact)
        let set: JSONWebKeySet
        do throws(SignInError) {
            set = try await keys.keys(keyID: token.header.keyID, algorithm: algorithm)
        } catch {
            throw .keysUnavailable(error)
        }
        return try judged(token, by: set, nonce: nonce, now: now())
    }

    /// Verifies a token with the given keys, without side effects.
    ///
    /// - Throws: ``IDTokenFailure/refused(_:)``.
    public func verify(
        _ compact: Secret,
        nonce: Secret? = nil,
        by keys: JSONWebKeySet,
        now: Date
    ) throws(IDTokenFailure) -> VerifiedIDToken {
        try judged(read(compact).token, by: keys, nonce: nonce, now: now)
    }

    private func read(
        _ compact: Secret
    ) throws(IDTokenFailure) -> (token: UnverifiedJWT, algorithm: SignatureAlgorithm) {
        guard let token = try? UnverifiedJWT(compact.reveal(), maximumBytes: policy.maximumBytes) else {
            throw .refused(.form)
        }
        guard let algorithm = SignatureAlgorithm(rawValue: token.header.algorithmName),
            NamedCheck.holds("identity.alg", policy.algorithms.contains(algorithm))
        else { throw .refused(.algorithm) }
        return (token, algorithm)
    }

    private func judged(
        _ token: UnverifiedJWT,
        by keys: JSONWebKeySet,
        nonce: Secret?,
        now: Date
    ) throws(IDTokenFailure) -> VerifiedIDToken {
        let verified: VerifiedJWT
        do throws(JOSEError) {
            verified = try token.verified(by: keys, algorithms: policy.algorithms)
        } catch {
            throw .refused(error.failure(form: .form, algorithm: .algorithm, key: .key, signature: .signature))
        }
        let facts = IDTokenPolicyCheck.Facts(
            token: verified,
            policy: policy,
            nonce: nonce,
            time: now.timeIntervalSince1970
        )
        if let check = IDTokenPolicyCheck.firstFailure(in: facts) { throw .refused(check) }
        return VerifiedIDToken(claims: verified.claims)
    }
}
