#if Hummingbird
    public import Hummingbird
    public import OstiaryServer

    /// Lets in requests with an access token that the policy of a resource accepts, and answers all others itself.
    ///
    /// It covers the routes that are added after it:
    ///
    ///     let orders = router.group("orders").add(middleware: AccessTokenMiddleware(resource))
    ///     orders.get { _, context in try context.requireAccessToken().subject }
    ///
    /// A refused request never reaches the route: it gets 401 or 403 with a challenge (RFC 6750 section 3), 400 for
    /// credentials that cannot be read, and 503 while the issuer's keys cannot be had.
    public struct AccessTokenMiddleware<Context: AccessTokenContext>: RouterMiddleware {
        /// What is protected.
        public let resource: ProtectedResource

        /// Protects the routes that are added after it.
        public init(_ resource: ProtectedResource) { self.resource = resource }

        /// Decides on a request, and passes it on with the token in its context.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            switch await resource.authorize(fields: request.headers) {
            case .granted(let token):
                var context = context
                context.accessToken = token
                return try await next(request, context)
            case .refused(let refusal):
                return Response(status: refusal.status, headers: refusal.fields)
            }
        }
    }
#endif
