public import HTTPTypes
public import OstiaryOAuth

/// What a resource server decided on a request.
public enum Authorization: Sendable, Hashable {
    /// The request may go on, with this token.
    case granted(VerifiedAccessToken)
    /// The request ends here, with this answer.
    case refused(Refusal)

    /// The answer to a request that may not go on.
    ///
    /// It has no body, and nothing of the request in it.
    public struct Refusal: Sendable, Hashable {
        /// Why a request may not go on.
        public enum Reason: Sendable, Hashable {
            /// It brings no bearer token.
            case noToken
            /// Its credentials cannot be read.
            case malformedCredentials
            /// Its token failed a check.
            case token(AccessTokenRefusal)
            /// The issuer's keys could not be had, so nothing is known of the token.
            case keysUnavailable(SignInError)
        }

        /// Why, for a log.
        public let reason: Reason
        /// 400, 401, 403 or 503.
        public let status: HTTPResponse.Status
        /// The challenge, or when to try again.
        public let fields: HTTPFields

        /// A refusal with a challenge (RFC 6750 section 3.1).
        init(_ reason: Reason, challenge: BearerChallenge) {
            self.reason = reason
            fields = challenge.fields
            status =
                switch reason {
                case .noToken: .unauthorized
                case .malformedCredentials: .badRequest
                case .token(let refusal): refusal.status
                case .keysUnavailable: .serviceUnavailable
                }
        }

        /// A refusal without a challenge, which would tell the client to throw away a token that may be good.
        ///
        /// (RFC 9110 section 15.6.4)
        init(keysUnavailable error: SignInError) {
            reason = .keysUnavailable(error)
            status = .serviceUnavailable
            fields = [.retryAfter: String(Int(KeySetCache.retryPause))]
        }
    }
}
