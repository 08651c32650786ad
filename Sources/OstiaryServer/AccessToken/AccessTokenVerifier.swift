public import OstiaryJOSE
import OstiaryOAuth

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
/// It fetches nothing and waits for nothing; ``ProtectedResource`` is the one that finds the keys, and that takes tokens which
/// are bound to a key of the sender.
public struct AccessTokenVerifier: Sendable {
    /// What tokens have to be.
    public let policy: AccessTokenPolicy

    /// Makes a verifier of a policy.
    public init(_ policy: AccessTokenPolicy) { self.policy = policy }

    /// Checks a token that is shown by itself.
    ///
    /// - Parameters:
    ///   - token: The token as it came; more than 16 KiB are refused unread.
    ///   - keys: The issuer's keys.
    ///   - now: The time to compare with.
    public func verify(_ token: String, by keys: JSONWebKeySet, now: Date) -> AccessTokenVerdict {
        let unverified: UnverifiedJWT
        do throws(JOSEError) { unverified = try split(token) } catch { return .refused(AccessTokenRefusal(error)) }
        if let refusal = refusal(of: unverified) { return .refused(refusal) }
        switch signed(unverified, by: keys) {
        case .success(let token): return verdict(on: token, shown: .bearer, now: now)
        case .failure(let refusal): return .refused(refusal)
        }
    }

    /// Splits a token and reads its header, which ``refusal(of:)`` then checks.
    func split(_ token: String) throws(JOSEError) -> UnverifiedJWT {
        try UnverifiedJWT(token, maximumBytes: AccessTokenCredentials.maximumBytes)
    }

    /// Why a token with this header is refused; `nil` when it is not, so far.
    ///
    /// Of its claims, which nothing bears out yet, a refusal only says which profile they fit.
    func refusal(of token: UnverifiedJWT) -> AccessTokenRefusal? {
        headerFailure(token.header).map { refusal($0, type: token.header.type, claims: token.unverifiedClaims) }
    }

    /// Why a token with this header is refused whose signature was checked before; `nil` when it is not, so far.
    func refusal(of token: VerifiedJWT) -> AccessTokenRefusal? {
        headerFailure(token.header).map { refusal($0, type: token.header.type, claims: token.claims) }
    }

    private func headerFailure(_ header: JOSEHeader) -> AccessTokenRefusal.Check? {
        AccessTokenCheck.firstFailure(in: AccessTokenCheck.Claimed(header: header, policy: policy))
    }

    private func refusal(
        _ check: AccessTokenRefusal.Check,
        type: String?,
        claims: JSONObject?
    ) -> AccessTokenRefusal {
        guard check == .type else { return AccessTokenRefusal(check) }
        return AccessTokenRefusal(form: .init(type: type, claims: claims ?? [:], expected: policy.profile))
    }

    /// Checks the signature of a token whose header is good.
    func signed(_ token: UnverifiedJWT, by keys: JSONWebKeySet) -> Result<VerifiedJWT, AccessTokenRefusal> {
        do throws(JOSEError) {
            return .success(try token.verified(by: keys, algorithms: policy.algorithms))
        } catch {
            return .failure(AccessTokenRefusal(error))
        }
    }

    /// Checks the claims of a token whose header and signature are good.
    func verdict(on token: VerifiedJWT, shown possession: Possession, now: Date) -> AccessTokenVerdict {
        let facts = AccessTokenCheck.Facts(
            claims: token.claims,
            type: token.header.type,
            policy: policy,
            possession: possession,
            now: now
        )
        if let check = AccessTokenCheck.firstFailure(in: facts) {
            return .refused(refusal(check, type: token.header.type, claims: token.claims))
        }
        let issuer = policy.issuer(claimed: token.claims["iss"])
        return .accepted(VerifiedAccessToken(token.compact, token.claims, facts.profile, of: issuer))
    }

    /// Checks what an issuer says of a token; `nil` stands for one that is not good.
    ///
    /// An issuer may leave out its name, and the token is its own then. (RFC 7662 section 2.2)
    func verdict(
        on description: JSONObject?,
        by issuer: Issuer,
        of token: String,
        shown possession: Possession,
        now: Date
    ) -> AccessTokenVerdict {
        guard var description else { return .refused(AccessTokenRefusal(.active)) }
        if description["iss"] == nil { description["iss"] = .string(issuer.description) }
        let facts = AccessTokenCheck.Facts(
            claims: description,
            policy: policy,
            possession: possession,
            now: now,
            speaker: issuer
        )
        if let check = AccessTokenCheck.firstFailure(ofDescription: facts) {
            return .refused(AccessTokenRefusal(check))
        }
        return .accepted(VerifiedAccessToken(token, description, facts.profile, of: issuer))
    }
}

extension AccessTokenRefusal {
    /// The check that a failure of the token's own form or signature belongs to.
    init(_ error: JOSEError) {
        switch error {
        case .unsupportedAlgorithm, .algorithmNotAllowed: self.init(.algorithm)
        case .criticalHeader: self.init(.critical)
        case .noMatchingKey, .ambiguousKey: self.init(.key)
        case .invalidSignature: self.init(.signature)
        default: self.init(.form)
        }
    }
}
