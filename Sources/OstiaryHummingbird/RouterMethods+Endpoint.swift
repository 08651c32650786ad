#if Hummingbird
    public import HTTPTypes
    public import Hummingbird
    public import OstiaryServer

    extension RouterMethods {
        /// Mounts a place of the backend kit.
        ///
        /// The body is read up to the place's limit, within a time; a request by another method gets 405, one that is
        /// too large 413, and one that is too slow 408, in the words of the place. Why a request was not served is
        /// one line of the request's log, at `info` for what is the client's matter and at `warning` for the
        /// operator's, and is counted in `ostiary_refusals_total`. That the connection ends then, and that a slow
        /// head does not keep it, is for ``RequestDeadlineHandler`` and the server's idle time-out.
        ///
        /// - Parameters:
        ///   - endpoint: The place.
        ///   - path: Where.
        ///   - methods: The methods that it answers, at least one. Default: the place's own.
        ///   - bodyDeadline: How long a body may take. Default 10 seconds.
        ///   - sender: Who sends a request, for limits: the address of the connection, or behind a proxy what the proxy says of it, and nothing
        ///     that a client can choose. Default: nobody is known.
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

        /// Mounts the description of a resource server where RFC 9728 has it.
        @discardableResult
        public func add(_ document: ResourceMetadataDocument) -> Self {
            add(document, at: RouterPath(document.place.path))
        }

        private static var methods: [HTTPRequest.Method] { [.get, .post, .put, .patch, .delete] }
    }

    extension Response {
        /// An answer of the backend kit.
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
