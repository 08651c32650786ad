import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rejection of a request without a valid session, with its response.
public struct SessionRefusal: Error, Sendable, Hashable {
    /// The reason.
    public enum Reason: Sendable, Hashable {
        /// The request presents no handle with a proof.
        case noHandle
        /// The proof failed a check.
        case proof(ProofRefusal)
        /// The session does not exist, or has ended.
        case ended
        /// The session belongs to another key.
        case otherKey
        /// The store is unavailable.
        case storeUnavailable(StorageFailure)
    }

    /// The reason.
    public let reason: Reason
    /// 401 with a challenge, 429 with `Retry-After` for a key that has used too many proofs, or 503. (RFC 9449 section
    /// 7.1)
    public let response: ServerResponse

    init(_ reason: Reason, proofs: ProofChecking, now: Date) {
        self.reason = reason
        if case .storeUnavailable = reason {
            response = ServerResponse(
                status: .serviceUnavailable,
                fields: [.retryAfter: "1", .cacheControl: "no-store"],
                reason: reason.logged
            )
            return
        }
        // Only the log distinguishes an ended session from another key's.
        let (code, sentence): (OAuthError.Code?, String?) =
            switch reason {
            case .proof(let refusal): (refusal.code, refusal.description)
            case .noHandle: (nil, nil)
            default: (.invalidToken, "The session has ended.")
            }
        let challenge = AccessTokenChallenge(
            scheme: .dpop,
            error: code,
            errorDescription: sentence,
            algorithms: proofs.algorithmList
        )
        var fields = challenge.fields
        for field in proofs.nonceFields(at: now) { fields[field.name] = field.value }
        fields[.cacheControl] = "no-store"
        let isTooMany = reason == .proof(.tooMany)
        if isTooMany { fields[.retryAfter] = String(ProofRefusal.pause) }
        response = ServerResponse(
            status: isTooMany ? .tooManyRequests : .unauthorized,
            fields: fields,
            reason: reason.logged
        )
    }
}

extension SessionRefusal.Reason {
    /// The reason for the log, which distinguishes an ended session from another installation's key.
    var logged: RefusalReason {
        switch self {
        case .noHandle: RefusalReason("no_handle")
        case .proof(let refusal): RefusalReason("proof_\(refusal.rawValue)", detail: refusal.description)
        case .ended: RefusalReason("session_ended")
        case .otherKey:
            RefusalReason(
                "session_other_key",
                detail:
                    "A session's handle was presented with another key than the session's: the handle may be stolen.",
                concern: .operator
            )
        case .storeUnavailable(let failure): RefusalReason(failure)
        }
    }
}
