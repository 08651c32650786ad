#if Vapor
    import HTTPTypes
    import Logging
    import NIOHTTP1
    import OstiaryObservability
    import OstiaryServer
    import Vapor

    /// The part that the middleware and the authenticator share: the decision on a request, its metrics and its log.
    struct AccessTokenGate: Sendable {
        let report: @Sendable (Authorization.Refusal, Request) -> Void
        private let resource: ProtectedResource
        private let metrics = AuthorizationMetrics()

        init(_ resource: ProtectedResource, events: (@Sendable (Authorization.Refusal, Request) -> Void)?) {
            self.resource = resource
            report =
                events ?? { refusal, request in
                    request.logger.log(level: refusal.level, "request refused", metadata: refusal.metadata)
                }
        }

        func decide(on request: Request) async -> Authorization {
            let began = ContinuousClock.now
            let authorization = await resource.authorize(ServerRequest(request))
            switch authorization {
            case .granted: metrics.granted(after: began.duration(to: .now))
            case .refused(let refusal): metrics.refused(refusal, after: began.duration(to: .now))
            }
            return authorization
        }

        /// The route's response, with fields such as the next nonce.
        func response(
            from next: any AsyncResponder,
            to request: Request,
            adding fields: HTTPFields
        ) async throws -> Response {
            let response = try await next.respond(to: request)
            for field in fields { response.headers.replaceOrAdd(name: field.name.rawName, value: field.value) }
            return response
        }
    }
#endif
