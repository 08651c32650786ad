public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A statement about a person that every check of its policy has passed.
public struct VerifiedIDToken: Sendable, Hashable {
    /// Every claim.
    public let claims: JSONObject

    /// Who it is (`sub`).
    public var subject: String { claims["sub"]?.string ?? "" }
    /// When the person authenticated (`auth_time`); `nil` where the statement does not say so.
    public var authenticatedAt: Date? { claims.date("auth_time") }
    /// The mail address (`email`), which may change and be given to another person: `sub` is what identifies a user.
    public var email: String? { claims["email"]?.string }
    /// Whether the issuer has verified the address: `email_verified` is true.
    ///
    /// Apple sends it as a string.
    public var isEmailVerified: Bool { claims["email_verified"] == true || claims["email_verified"] == "true" }
}

extension VerifiedIDToken: CustomStringConvertible, CustomReflectable {
    /// The word alone; claims are about a person.
    public var description: String { "VerifiedIDToken" }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a statement about a person is not believed; it holds nothing of the statement.
public enum IDTokenFailure: Error, Sendable, Hashable {
    /// A check failed.
    case refused(Check)
    /// The issuer's keys could not be had, so nothing is known.
    case keysUnavailable(SignInError)

    /// A check, named by the header parameter or claim that it looks at.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// It is not a signed JSON Web Token, or is too long.
        case form
        /// It is a token of another kind.
        case type = "typ"
        /// The signature's algorithm is not allowed.
        case algorithm = "alg"
        /// No key of the issuer fits.
        case key = "kid"
        /// The signature is wrong.
        case signature
        /// Somebody else made it.
        case issuer = "iss"
        /// It is for somebody else.
        case audience = "aud"
        /// It was made for another party.
        case party = "azp"
        /// It answers another nonce, or none.
        case nonce
        /// It has expired, or says nothing of it.
        case expiry = "exp"
        /// It is not valid yet.
        case notBefore = "nbf"
        /// It is of the future.
        case issuedAt = "iat"
        /// It is about nobody.
        case subject = "sub"
        /// A claim does not have the value that it has to have.
        case claim
        /// The person did not authenticate as wanted.
        case method = "amr"
        /// The person authenticated too long ago, or it does not say when.
        case authenticationTime = "auth_time"
    }
}

/// Checks signed statements about persons against one policy.
public struct IDTokenVerifier: Sendable {
    /// What they have to be.
    public let policy: IDTokenPolicy
    private let keys: KeySource
    private let now: @Sendable () -> Date

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - policy: What statements have to be.
    ///   - keys: Where the issuer's keys are.
    ///   - now: The time. Default: the system's clock.
    /// - Throws: `configuration` at stage `keys` when policy and keys are of two issuers.
    public init(
        policy: IDTokenPolicy,
        keys: KeySource,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(SignInError) {
        guard policy.issuer == keys.issuer else {
            throw SignInError(.keys, .configuration("The keys are of another issuer: give those of \(policy.issuer)."))
        }
        self.policy = policy
        self.keys = keys
        self.now = now
    }

    /// Checks a statement; keys are fetched when they are not at hand.
    ///
    /// - Parameters:
    ///   - compact: The statement as it came.
    ///   - nonce: The nonce that the backend gave out for this sign-in, which it takes from its store, so that it counts once. A policy
    ///     that requires one refuses every statement without it. Default: none.
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

    /// Checks a statement with keys that are given: a pure function.
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
            switch error {
            case .noMatchingKey, .ambiguousKey: throw .refused(.key)
            case .invalidSignature: throw .refused(.signature)
            case .unsupportedAlgorithm, .algorithmNotAllowed: throw .refused(.algorithm)
            default: throw .refused(.form)
            }
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
