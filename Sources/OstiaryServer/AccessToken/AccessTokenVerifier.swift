public import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The result of verifying an access token: rejecting one is not exceptional, so it is a value and not an error.
public enum AccessTokenVerdict: Sendable, Hashable {
    /// Every check passed.
    case accepted(VerifiedAccessToken)
    /// A check failed.
    case refused(AccessTokenRefusal)
}

/// Checks access tokens against one policy: a pure function of a token, keys and a time. (RFC 9068 section 4)
///
/// It neither fetches nor waits. ``ProtectedResource`` finds the keys, and accepts tokens that are bound to a key of
/// the sender.
public struct AccessTokenVerifier: Sendable {
    /// The requirements of tokens.
    public let policy: AccessTokenPolicy

    /// Makes a verifier for a policy.
    public init(_ policy: AccessTokenPolicy) { self.policy = policy }

    /// Verifies a token that is presented without a proof of possession.
    ///
    /// - Parameters:
    ///   - token: The token as received; one of more than 16 KiB is rejected unread.
    ///   - keys: The issuer's keys.
    ///   - now: The time of the check.
    /// - Returns: The verified token, or the refusal.
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

    /// The rejection of a token by its header; `nil` if the header passes.
    ///
    /// Of the token's claims, which are not verified yet, a rejection only says which profile they match.
    func refusal(of token: UnverifiedJWT) -> AccessTokenRefusal? {
        headerFailure(token.header).map { refusal($0, type: token.header.type, claims: token.unverifiedClaims) }
    }

    /// The rejection by its header of a token whose signature was verified before; `nil` if the header passes.
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

    /// Verifies the signature of a token whose header has passed.
    func signed(_ token: UnverifiedJWT, by keys: JSONWebKeySet) -> Result<VerifiedJWT, AccessTokenRefusal> {
        do throws(JOSEError) {
            return .success(try token.verified(by: keys, algorithms: policy.algorithms))
        } catch {
            return .failure(AccessTokenRefusal(error))
        }
    }

    /// Verifies the claims of a token whose header and signature have passed.
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

    /// Verifies an introspection response; `nil` stands for an inactive token.
    ///
    /// An issuer may leave out its name; the token is then taken to be that issuer's. (RFC 7662 section 2.2)
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
    /// The check that a failure of the token's format or signature belongs to.
    init(_ error: JOSEError) {
        self.init(
            error.failure(
                form: .form,
                critical: .critical,
                algorithm: .algorithm,
                key: .key,
                signature: .signature
            )
        )
    }
}
