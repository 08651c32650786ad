#if Hummingbird
    public import Hummingbird
    public import OstiaryServer

    /// Authenticates requests that have an access token which the policy of a resource accepts, and passes on those without one.
    ///
    /// For routes that serve both, and for chains of several authenticators: `context.accessToken` is `nil` for a request without
    /// a token, or with credentials of another scheme. A request with a token that is rejected never reaches the route.
    ///
    ///     let news = router.group("news").add(middleware: AccessTokenAuthenticator(resource))
    ///     news.get { _, context in context.accessToken?.subject ?? "a guest" }
    ///
    /// It has the shape of the authenticators of hummingbird-auth, so one line of an app makes it one of them:
    ///
    ///     extension AccessTokenAuthenticator: @retroactive AuthenticatorMiddleware
    ///     where Context: AuthRequestContext<VerifiedAccessToken> {}
    public struct AccessTokenAuthenticator<Context: AccessTokenContext>: RouterMiddleware {
        /// The resource whose policy tokens have to satisfy.
        public var resource: ProtectedResource { gate.resource }
        private let gate: AccessTokenGate<Context>

        /// Authenticates the requests to the routes that are added after it.
        ///
        /// - Parameters:
        ///   - resource: The resource whose policy tokens have to satisfy.
        ///   - events: Called for each request whose credentials are rejected. Default: a line in the request's log with the
        ///     reason, and nothing of the token but its `typ`.
        public init(
            _ resource: ProtectedResource,
            events: (@Sendable (Authorization.Refusal, Context) -> Void)? = nil
        ) {
            gate = AccessTokenGate(resource, events: events)
        }

        /// Returns the access token of a request; `nil` for a request without one.
        ///
        /// The response to a request with a proof needs the fields that ``handle(_:context:next:)`` adds.
        ///
        /// - Throws: ``AuthorizationError`` with the challenge for a token, a proof or credentials that are rejected.
        public func authenticate(request: Request, context: Context) async throws -> VerifiedAccessToken? {
            switch await gate.decide(on: request, context) {
            case .granted(let token, _): return token
            case .refused(let refusal) where refusal.reason == .noToken: return nil
            case .refused(let refusal):
                gate.report(refusal, context)
                throw AuthorizationError(refusal)
            }
        }

        /// Authenticates a request, and passes it on unless its token is rejected.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            switch await gate.decide(on: request, context) {
            case .granted(let token, let fields):
                return try await gate.response(to: request, context, with: token, adding: fields, next: next)
            case .refused(let refusal) where refusal.reason == .noToken:
                return try await next(request, context)
            case .refused(let refusal):
                gate.report(refusal, context)
                throw AuthorizationError(refusal)
            }
        }
    }
#endif
