#if Hummingbird
    import HTTPTypes
    public import Hummingbird
    import Logging
    import OstiaryObservability
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
        public let resource: ProtectedResource
        private let report: @Sendable (Authorization.Refusal, Context) -> Void
        private let metrics = AuthorizationMetrics()

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
            self.resource = resource
            report =
                events ?? { refusal, context in
                    context.logger.log(level: refusal.level, "request refused", metadata: refusal.metadata)
                }
        }

        /// Decides on a request, and passes an admitted one on with the token in its context.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            let asked = ServerRequest(
                method: request.method,
                target: request.uri.string,
                fields: request.headers,
                certificate: context.clientCertificate
            )
            let began = ContinuousClock.now
            switch await resource.authorize(asked) {
            case .granted(let token, let fields):
                metrics.granted(after: began.duration(to: .now))
                var context = context
                context.accessToken = token
                var response = try await next(request, context)
                for field in fields { response.headers[field.name] = field.value }
                return response
            case .refused(let refusal):
                metrics.refused(refusal, after: began.duration(to: .now))
                report(refusal, context)
                return Response(status: refusal.status, headers: refusal.fields)
            }
        }
    }
#endif
