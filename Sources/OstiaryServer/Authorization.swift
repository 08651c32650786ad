public import HTTPTypes
public import OstiaryOAuth

/// What a resource server decided on a request.
public enum Authorization: Sendable, Hashable {
    /// The request may go on, with this token; its answer gets these fields besides its own.
    case granted(VerifiedAccessToken, adding: HTTPFields)
    /// The request ends here, with this answer.
    case refused(Refusal)

    /// The answer to a request that may not go on.
    ///
    /// It has no body, and nothing of the request in it.
    public struct Refusal: Sendable, Hashable {
        /// Why a request may not go on.
        public enum Reason: Sendable, Hashable {
            /// It brings no access token.
            case noToken
            /// Its credentials cannot be read.
            case malformedCredentials
            /// Its token failed a check.
            case token(AccessTokenRefusal)
            /// Its proof of possession failed a check.
            case proof(ProofRefusal)
            /// The issuer's keys could not be had, so nothing is known of the token.
            case keysUnavailable(SignInError)
            /// The issuer did not say what the token is, so nothing is known of it.
            case introspectionUnavailable(SignInError)
            /// The store of shown proofs could not be asked, so the proof may be one of them.
            case storeUnavailable(StorageFailure)
        }

        /// Why, for a log.
        public let reason: Reason
        /// 400, 401, 403, 429 or 503.
        public let status: HTTPResponse.Status
        /// The challenges, or when to try again.
        public let fields: HTTPFields

        /// A refusal with challenges (RFC 6750 section 3.1, RFC 9449 section 7.1).
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
                // A client that is told to throw its token away would come back at once.
                case .proof(.tooMany): .tooManyRequests
                case .noToken, .proof: .unauthorized
                case .malformedCredentials: .badRequest
                case .token(let refusal): refusal.status
                case .keysUnavailable, .introspectionUnavailable, .storeUnavailable: .serviceUnavailable
                }
        }

        /// A refusal without a challenge, which would tell the client to throw away a token that may be good.
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
    /// What was wrong, in one word for logs and counters; it holds nothing of the request.
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
