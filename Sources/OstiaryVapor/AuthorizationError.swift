#if Vapor
    import HTTPTypes
    public import Logging
    import NIOHTTP1
    public import OstiaryServer
    public import Vapor

    /// The error of a request that is rejected for its access token, its proof, or for what they do not cover.
    ///
    /// Vapor's `ErrorMiddleware` responds with the status and the fields of the refusal, among them `WWW-Authenticate`.
    /// An error middleware of your own adds ``headers`` to its response: without the challenge a client does not learn
    /// which scope, which nonce or which authentication is required.
    public struct AuthorizationError: AbortError, DebuggableError {
        /// The refusal.
        public let refusal: Authorization.Refusal

        /// Makes the error of a refusal.
        public init(_ refusal: Authorization.Refusal) { self.refusal = refusal }

        /// 400, 401, 403, 429 or 503.
        public var status: HTTPResponseStatus { HTTPResponseStatus(statusCode: refusal.status.code) }
        /// The challenges, or the time after which to try again.
        public var headers: HTTPHeaders { HTTPHeaders(of: refusal.fields) }
        /// The status in words; the client learns the rest from the challenge.
        public var reason: String { status.reasonPhrase }
        /// The check that failed.
        public var identifier: String { refusal.reason.name }
        /// `debug`: the middleware and the authenticator have logged the refusal with its reason.
        public var logLevel: Logger.Level { .debug }
    }

    extension VerifiedAccessToken: Authenticatable {}
    extension ServerSession: Authenticatable {}
#endif
