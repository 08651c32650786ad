#if Hummingbird
    public import Hummingbird
    public import OstiaryServer

    /// Admits requests with an access token that a resource's policy accepts, and responds to all others itself.
    ///
    /// It covers the routes that are added after it:
    ///
    ///     let orders = router.group("orders").add(middleware: AccessTokenMiddleware(resource))
    ///     orders.get { _, context in try context.requireAccessToken().subject }
    ///
    /// A refused request never reaches the route: it gets 401 or 403 with a challenge (RFC 6750 section 3, RFC 9449
    /// section 7.1), 400 for malformed credentials, and 503 while keys, an introspection response or the store are
    /// unavailable. Decisions are counted in `ostiary_authorizations`, by outcome, and timed in
    /// `ostiary_authorization`.
    public struct AccessTokenMiddleware<Context: AccessTokenContext>: RouterMiddleware {
        /// The resource that the middleware protects.
        public var resource: ProtectedResource { gate.resource }
        private let gate: AccessTokenGate<Context>

        /// Protects the routes that are added after it.
        ///
        /// - Parameters:
        ///   - resource: The resource to protect.
        ///   - events: Called for each refused request. Default: a line in the request's log with the reason, and
        ///     nothing of the token but its `typ`.
        public init(
            _ resource: ProtectedResource,
            events: (@Sendable (Authorization.Refusal, Context) -> Void)? = nil
        ) {
            gate = AccessTokenGate(resource, events: events)
        }

        /// Decides on a request, and passes an admitted one on with the token in its context.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            switch await gate.decide(on: request, context) {
            case .granted(let token, let fields):
                return try await gate.response(to: request, context, with: token, adding: fields, next: next)
            case .refused(let refusal):
                gate.report(refusal, context)
                return Response(status: refusal.status, headers: refusal.fields)
            }
        }
    }
#endif
