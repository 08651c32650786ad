import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a request has no session, and what it is answered.
public struct SessionRefusal: Error, Sendable, Hashable {
    /// Why.
    public enum Reason: Sendable, Hashable {
        /// It shows no handle with a proof.
        case noHandle
        /// The proof failed a check.
        case proof(ProofRefusal)
        /// There is no such session, or no longer.
        case ended
        /// The session belongs to another key.
        case otherKey
        /// The store could not be asked.
        case storeUnavailable(StorageFailure)
    }

    /// Why.
    public let reason: Reason
    /// 401 with a challenge, or 503. (RFC 9449 section 7.1)
    public let response: ServerResponse

    init(_ reason: Reason, proofs: ProofChecking, now: Date) {
        self.reason = reason
        if case .storeUnavailable = reason {
            response = ServerResponse(
                status: .serviceUnavailable,
                fields: [.retryAfter: "1", .cacheControl: "no-store"]
            )
            return
        }
        // An ended session and another's key are told apart in the log alone.
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
        response = ServerResponse(status: .unauthorized, fields: fields)
    }
}
