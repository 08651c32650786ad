#if Hummingbird
    public import HTTPTypes
    public import Hummingbird
    public import OstiaryServer

    /// The error of a request that is rejected for its access token, its proof, or for what they do not cover.
    ///
    /// Hummingbird responds with the status and the fields of the refusal, among them `WWW-Authenticate`.
    public struct AuthorizationError: HTTPResponseError {
        /// The refusal.
        public let refusal: Authorization.Refusal

        /// Makes the error of a refusal.
        public init(_ refusal: Authorization.Refusal) { self.refusal = refusal }

        /// 400, 401, 403, 429 or 503.
        public var status: HTTPResponse.Status { refusal.status }

        /// The response, without a body: the client learns the rest from the challenge.
        public func response(from request: Request, context: some RequestContext) -> Response {
            Response(status: refusal.status, headers: refusal.fields)
        }
    }
#endif
