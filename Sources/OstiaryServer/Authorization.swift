public import HTTPTypes
public import OstiaryOAuth

/// A resource server's decision on a request.
public enum Authorization: Sendable, Hashable {
    /// The request is authorized by this token; the response gets these additional fields.
    case granted(VerifiedAccessToken, adding: HTTPFields)
    /// The request is rejected with this response.
    case refused(Refusal)

    /// The response to a rejected request.
    ///
    /// It has no body, and repeats nothing of the request.
    public struct Refusal: Sendable, Hashable {
        /// The reason that a request is rejected.
        public enum Reason: Sendable, Hashable {
            /// The request has no access token.
            case noToken
            /// The request's credentials are malformed.
            case malformedCredentials
            /// The token failed a check.
            case token(AccessTokenRefusal)
            /// The proof of possession failed a check.
            case proof(ProofRefusal)
            /// The issuer's keys are unavailable, so the token cannot be verified.
            case keysUnavailable(SignInError)
            /// The issuer did not answer the introspection request, so the token cannot be verified.
            case introspectionUnavailable(SignInError)
            /// The replay store is unavailable, so the proof may be a replay.
            case storeUnavailable(StorageFailure)
        }

        /// The reason, for a log.
        public let reason: Reason
        /// 400, 401, 403, 429 or 503.
        public let status: HTTPResponse.Status
        /// The challenges, or `Retry-After`.
        public let fields: HTTPFields

        /// A rejection with challenges (RFC 6750 section 3.1, RFC 9449 section 7.1).
        init(_ reason: Reason, challenges: [AccessTokenChallenge], adding fields: HTTPFields = [:]) {
            self.reason = reason
            var all = fields
            for challenge in challenges {
                all.append(HTTPField(name: .wwwAuthenticate, value: challenge.fieldValue))
            }
            if case .proof(.tooMany) = reason { all[.retryAfter] = String(ProofRefusal.pause) }
            self.fields = all
            status =
                switch reason {
                // A client whose token is rejected would retry at once.
                case .proof(.tooMany): .tooManyRequests
                case .noToken, .proof: .unauthorized
                case .malformedCredentials: .badRequest
                case .token(let refusal): refusal.status
                case .keysUnavailable, .introspectionUnavailable, .storeUnavailable: .serviceUnavailable
                }
        }

        /// A rejection without a challenge, which would make the client discard a possibly valid token.
        ///
        /// (RFC 9110 section 15.6.4)
        init(unavailable reason: Reason) {
            self.reason = reason
            status = .serviceUnavailable
            fields = [.retryAfter: String(Int(KeySetCache.retryPause))]
        }
    }
}

extension Authorization.Refusal.Reason {
    /// The reason in one word, for logs and metrics; it repeats nothing of the request.
    public var name: String {
        switch self {
        case .noToken: "no_token"
        case .malformedCredentials: "malformed_credentials"
        case .token(let refusal): "token_\(refusal.check.rawValue)"
        case .proof(let refusal): "proof_\(refusal.rawValue)"
        case .keysUnavailable: "keys_unavailable"
        case .introspectionUnavailable: "introspection_unavailable"
        case .storeUnavailable: "store_unavailable"
        }
    }
}
