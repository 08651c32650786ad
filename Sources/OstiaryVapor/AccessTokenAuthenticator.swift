#if Vapor
    import HTTPTypes
    public import OstiaryServer
    public import Vapor

    /// Authenticates requests that have an access token which the policy of a resource accepts, and passes all others
    /// on without one.
    ///
    /// For routes that serve both: `request.auth.get(VerifiedAccessToken.self)` is `nil` for a request without a valid
    /// token, and ``Vapor/Request/requireAccessToken()`` throws the challenge that ``AccessTokenMiddleware`` would have
    /// sent.
    ///
    ///     let news = app.grouped(AccessTokenAuthenticator(resource)).grouped("news")
    ///     news.get { request in request.auth.get(VerifiedAccessToken.self)?.subject ?? "a guest" }
    ///     news.post { request in try request.requireAccessToken().subject }
    public struct AccessTokenAuthenticator: AsyncRequestAuthenticator {
        /// The resource whose policy tokens have to satisfy.
        public let resource: ProtectedResource
        private let gate: AccessTokenGate

        /// Authenticates the requests to the routes of a group.
        ///
        /// - Parameters:
        ///   - resource: The resource whose policy tokens have to satisfy.
        ///   - events: Called for each request whose credentials are rejected, and not for one without a token.
        ///     Default: a line in the request's log with the reason; of the token it contains `typ` alone.
        public init(
            _ resource: ProtectedResource,
            events: (@Sendable (Authorization.Refusal, Request) -> Void)? = nil
        ) {
            self.resource = resource
            gate = AccessTokenGate(resource, events: events)
        }

        /// Puts the token of a request into `request.auth`, or the refusal where ``Vapor/Request/requireAccessToken()``
        /// finds it.
        public func authenticate(request: Request) async { _ = await fields(of: request) }

        /// Authenticates a request, and passes it on.
        public func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
            let fields = await fields(of: request)
            return try await gate.response(from: next, to: request, adding: fields)
        }

        /// Authenticates a request; returns the fields that its response gets.
        private func fields(of request: Request) async -> HTTPFields {
            switch await gate.decide(on: request) {
            case .granted(let token, let fields):
                request.auth.login(token)
                request.storage[RefusalKey.self] = nil
                return fields
            case .refused(let refusal):
                if refusal.reason != .noToken { gate.report(refusal, request) }
                // The token that a guard before this one found satisfies another policy.
                request.auth.logout(VerifiedAccessToken.self)
                request.storage[RefusalKey.self] = refusal
                return [:]
            }
        }
    }

    extension Request {
        /// Returns the access token of the request.
        ///
        /// - Throws: ``AuthorizationError`` with the challenge where ``AccessTokenAuthenticator`` found no valid token;
        ///   `Abort` with 500 where neither it nor ``AccessTokenMiddleware`` precedes the route, which nothing that the
        ///   client sends can change.
        public func requireAccessToken() throws -> VerifiedAccessToken {
            if let token = auth.get(VerifiedAccessToken.self) { return token }
            guard let refusal = storage[RefusalKey.self] else { throw Abort(.internalServerError) }
            throw AuthorizationError(refusal)
        }
    }

    private struct RefusalKey: StorageKey {
        typealias Value = Authorization.Refusal
    }
#endif
