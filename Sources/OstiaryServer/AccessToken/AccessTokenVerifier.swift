public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What became of an access token: refusing one is not exceptional, so it is an answer and not an error.
public enum AccessTokenVerdict: Sendable, Hashable {
    /// Every check holds.
    case accepted(VerifiedAccessToken)
    /// A check failed.
    case refused(AccessTokenRefusal)
}

/// Checks access tokens against one policy: a pure function of a token, keys and a time. (RFC 9068 section 4)
///
/// It fetches nothing and waits for nothing; ``ProtectedResource`` is the one that finds the keys.
public struct AccessTokenVerifier: Sendable {
    /// What tokens have to be.
    public let policy: AccessTokenPolicy

    /// Makes a verifier of a policy.
    public init(_ policy: AccessTokenPolicy) { self.policy = policy }

    /// Checks a token.
    ///
    /// - Parameters:
    ///   - token: The token as it came; more than 16 KiB are refused unread.
    ///   - keys: The issuer's keys.
    ///   - now: The time to compare with.
    public func verify(_ token: String, by keys: JSONWebKeySet, now: Date) -> AccessTokenVerdict {
        switch read(token) {
        case .success(let token): verify(token, by: keys, now: now)
        case .failure(let refusal): .refused(refusal)
        }
    }

    /// Splits a token and checks what its header says, which is all that can be known before there are keys.
    func read(_ token: String) -> Result<UnverifiedJWT, AccessTokenRefusal> {
        do throws(JOSEError) {
            let token = try UnverifiedJWT(token, maximumBytes: BearerCredentials.maximumBytes)
            let claimed = AccessTokenCheck.Claimed(header: token.header, policy: policy)
            if let check = AccessTokenCheck.firstFailure(in: claimed) { return .failure(AccessTokenRefusal(check)) }
            return .success(token)
        } catch {
            return .failure(AccessTokenRefusal(error))
        }
    }

    /// Checks the signature, and then the claims, of a token that ``read(_:)`` let through.
    func verify(_ token: UnverifiedJWT, by keys: JSONWebKeySet, now: Date) -> AccessTokenVerdict {
        do throws(JOSEError) {
            let verified = try token.verified(by: keys, algorithms: policy.algorithms)
            let facts = AccessTokenCheck.Facts(token: verified, policy: policy, now: now)
            if let check = AccessTokenCheck.firstFailure(in: facts) { return .refused(AccessTokenRefusal(check)) }
            return .accepted(VerifiedAccessToken(verified))
        } catch {
            return .refused(AccessTokenRefusal(error))
        }
    }
}

extension AccessTokenRefusal {
    /// The check that a failure of the token's own form or signature belongs to.
    fileprivate init(_ error: JOSEError) {
        switch error {
        case .unsupportedAlgorithm, .algorithmNotAllowed: self.init(.algorithm)
        case .criticalHeader: self.init(.critical)
        case .noMatchingKey, .ambiguousKey: self.init(.key)
        case .invalidSignature: self.init(.signature)
        default: self.init(.form)
        }
    }
}
