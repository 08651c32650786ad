#if Vapor
    public import HTTPTypes
    import Logging
    import NIOHTTP1
    import OstiaryObservability
    public import OstiaryServer
    public import Vapor

    extension RoutesBuilder {
        /// Mounts an endpoint of the backend kit.
        ///
        /// The body is read up to the endpoint's limit, within a time, whatever `defaultMaxBodySize` says; a request by
        /// another method gets 405, one that is too large 413, and one that is too slow 408, in the words of the
        /// endpoint. The reason of a refusal is one line of the request's log, at `info` for what the client can mend
        /// and at `warning` for what the operator can, and is counted in `ostiary_refusals`.
        ///
        /// Vapor ends no connection on which a head or the rest of a body comes slowly: put a proxy with time-outs
        /// before it.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint.
        ///   - path: Its path below this group's, such as `/auth/start`; no part of it is a parameter.
        ///   - methods: The methods that it answers, at least one. Default: the endpoint's own.
        ///   - bodyDeadline: The time that a body may take. Default 10 seconds.
        ///   - sender: The sender of a request, for limits: the address of the connection, or behind a proxy what the
        ///     proxy says of it, and nothing that a client can choose. `peerAddress` is not it: Vapor reads that from
        ///     fields that clients can write. Default: no sender is known.
        /// - Returns: The routes builder, for the next route.
        @discardableResult
        public func add(
            _ endpoint: some ServerEndpoint,
            at path: String,
            for methods: [HTTPRequest.Method]? = nil,
            bodyDeadline: Duration = .seconds(10),
            sender: @escaping @Sendable (Request) -> String? = { _ in nil }
        ) -> Self {
            let answered = methods ?? [endpoint.method]
            let components = path.split(separator: "/").map { PathComponent.constant(String($0)) }
            for method in answered {
                on(HTTPMethod(rawValue: method.rawValue), components, body: .stream) { request in
                    let asked = ServerRequest(request, sender: sender(request))
                    let response = await endpoint.respond(to: asked) {
                        await BoundedBody.read(request, upTo: endpoint.maximumBodyBytes, within: bodyDeadline)
                    }
                    RefusalReports.note(response, to: request)
                    return Response(response)
                }
            }
            let allowed = answered.map(\.rawValue).joined(separator: ", ")
            for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] where !answered.contains(method) {
                on(HTTPMethod(rawValue: method.rawValue), components, body: .stream) { _ in
                    let response = Response(endpoint.refusal(.method))
                    response.headers.replaceOrAdd(name: .allow, value: allowed)
                    return response
                }
            }
            return self
        }

        /// Mounts the description of a resource server where RFC 9728 has it; on the application itself, not on a group
        /// with a path.
        @discardableResult
        public func add(_ document: ResourceMetadataDocument) -> Self { add(document, at: document.place.path) }
    }

    extension RefusalReports {
        /// One line and one count for a response that has a reason.
        static func note(_ response: ServerResponse, to request: Request) {
            let path = request.route.map { "/" + $0.path.string } ?? "-"
            note(response, method: request.method.rawValue, path: path, in: request.logger)
        }
    }
#endif
