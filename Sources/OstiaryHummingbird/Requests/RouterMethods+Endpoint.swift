#if Hummingbird
    public import HTTPTypes
    public import Hummingbird
    import OstiaryObservability
    public import OstiaryServer

    extension RouterMethods {
        /// Mounts an endpoint of OstiaryServer.
        ///
        /// The body is read up to the endpoint's limit, within a time. A request with another method gets 405, an
        /// oversized one 413, and a slow one 408, in the endpoint's own form. A refused request is one line of its log,
        /// at `info` for the client's faults and at `warning` for the operator's, and is counted in
        /// `ostiary_refusals`. ``RequestDeadlineHandler`` and the server's idle time-out close the connections of slow
        /// senders.
        ///
        /// - Parameters:
        ///   - endpoint: The endpoint.
        ///   - path: The path.
        ///   - methods: The accepted methods, at least one. Default: the endpoint's own.
        ///   - bodyDeadline: The longest time for a body. Default 10 seconds.
        ///   - sender: Identifies the sender of a request, for limits: the connection's address, or the one that a
        ///     proxy reports, and nothing that a client can choose. Default: senders are not distinguished.
        /// - Returns: The router, for the next route.
        @discardableResult
        public func add(
            _ endpoint: some ServerEndpoint,
            at path: RouterPath,
            for methods: [HTTPRequest.Method]? = nil,
            bodyDeadline: Duration = .seconds(10),
            sender: @escaping @Sendable (Request, Context) -> String? = { _, _ in nil }
        ) -> Self {
            let answered = methods ?? [endpoint.method]
            for method in answered {
                on(path, method: method) { request, context in
                    let asked = ServerRequest(
                        method: request.method,
                        target: request.uri.string,
                        fields: request.headers,
                        certificate: (context as? any AccessTokenContext)?.clientCertificate,
                        sender: sender(request, context)
                    )
                    let answer = await endpoint.respond(to: asked) {
                        await BoundedBody.read(request, upTo: endpoint.maximumBodyBytes, within: bodyDeadline)
                    }
                    RefusalReports.note(answer, to: request, context)
                    return Response(answer)
                }
            }
            let allowed = answered.map(\.rawValue).joined(separator: ", ")
            for method in Self.methods where !answered.contains(method) {
                on(path, method: method) { _, _ in
                    var response = Response(endpoint.refusal(.method))
                    response.headers[.allow] = allowed
                    return response
                }
            }
            return self
        }

        /// Mounts a resource server's metadata at the path of RFC 9728.
        @discardableResult
        public func add(_ document: ResourceMetadataDocument) -> Self {
            add(document, at: RouterPath(document.place.path))
        }

        private static var methods: [HTTPRequest.Method] { [.get, .post, .put, .patch, .delete] }
    }

    extension RefusalReports {
        /// One line and one count for an answer that has a reason.
        static func note(_ answer: ServerResponse, to request: Request, _ context: some RequestContext) {
            let path = context.endpointPath ?? "-"
            note(answer, method: request.method.rawValue, path: path, in: context.logger)
        }
    }

    extension Response {
        /// Converts a response of OstiaryServer.
        init(_ response: ServerResponse) {
            self.init(
                status: response.status,
                headers: response.fields,
                body: response.body.isEmpty
                    ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
            )
        }
    }
#endif
