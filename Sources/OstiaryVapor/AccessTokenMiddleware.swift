#if Vapor
    public import OstiaryServer
    public import Vapor

    /// Lets in requests with an access token that the policy of a resource accepts, and throws ``AuthorizationError``
    /// for all others.
    ///
    ///     let orders = app.grouped(AccessTokenMiddleware(resource)).grouped("orders")
    ///     orders.get { request in try request.auth.require(VerifiedAccessToken.self).subject }
    ///
    /// A rejected request never reaches the route: Vapor's `ErrorMiddleware` responds with 401 or 403 and a challenge
    /// (RFC 6750 section 3, RFC 9449 section 7.1, RFC 9470 section 3), with 400 for malformed credentials, and with 503
    /// while the keys, the issuer's response or the store are unavailable. Each decision is counted in
    /// `ostiary_authorizations`, by outcome, and timed in `ostiary_authorization`.
    public struct AccessTokenMiddleware: AsyncMiddleware {
        /// The protected resource.
        public let resource: ProtectedResource
        private let gate: AccessTokenGate

        /// Protects the routes of a group.
        ///
        /// - Parameters:
        ///   - resource: The protected resource.
        ///   - events: Called for each rejected request. Default: a line in the request's log with the reason; of the
        ///     token it contains `typ` alone.
        public init(
            _ resource: ProtectedResource,
            events: (@Sendable (Authorization.Refusal, Request) -> Void)? = nil
        ) {
            self.resource = resource
            gate = AccessTokenGate(resource, events: events)
        }

        /// Decides on a request, and passes it on with its token in `request.auth`.
        ///
        /// - Throws: ``AuthorizationError`` for a request that is rejected; the error of the route.
        public func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
            switch await gate.decide(on: request) {
            case .granted(let token, let fields):
                request.auth.login(token)
                return try await gate.response(from: next, to: request, adding: fields)
            case .refused(let refusal):
                gate.report(refusal, request)
                throw AuthorizationError(refusal)
            }
        }
    }
#endif
