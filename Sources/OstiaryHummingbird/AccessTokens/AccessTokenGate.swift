#if Hummingbird
    import HTTPTypes
    import Hummingbird
    import Logging
    import OstiaryObservability
    import OstiaryServer

    /// The part that the middleware and the authenticator share: the decision on a request, its metrics and its log.
    struct AccessTokenGate<Context: AccessTokenContext>: Sendable {
        let resource: ProtectedResource
        private let events: (@Sendable (Authorization.Refusal, Context) -> Void)?
        private let metrics = AuthorizationMetrics()

        init(_ resource: ProtectedResource, events: (@Sendable (Authorization.Refusal, Context) -> Void)?) {
            self.resource = resource
            self.events = events
        }

        func decide(on request: Request, _ context: Context) async -> Authorization {
            let asked = ServerRequest(
                method: request.method,
                target: request.uri.string,
                fields: request.headers,
                certificate: context.clientCertificate
            )
            let began = ContinuousClock.now
            let authorization = await resource.authorize(asked)
            switch authorization {
            case .granted: metrics.granted(after: began.duration(to: .now))
            case .refused(let refusal): metrics.refused(refusal, after: began.duration(to: .now))
            }
            return authorization
        }

        func report(_ refusal: Authorization.Refusal, _ context: Context) {
            if let events { return events(refusal, context) }
            context.logger.log(level: refusal.level, "request refused", metadata: refusal.metadata)
        }

        /// The route's response to an admitted request, with fields such as the next nonce.
        func response(
            to request: Request,
            _ context: Context,
            with token: VerifiedAccessToken,
            adding fields: HTTPFields,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            var context = context
            context.accessToken = token
            var response = try await next(request, context)
            for field in fields { response.headers[field.name] = field.value }
            return response
        }
    }
#endif
