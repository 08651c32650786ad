#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import HTTPTypes
    import NIOCore
    import NIOHTTP1
    import NIOSSL
    public import OstiaryOAuth

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A transport on AsyncHTTPClient, for servers and command lines on Linux: bounded reading, no libcurl, no
    /// Foundation networking.
    ///
    /// It keeps no cookies and no cache, follows no redirects, decodes no content, and ignores the proxy variables of
    /// the environment. Its deadline covers head and body. One transport holds one client and its connections: make it
    /// once and share it.
    ///
    /// It uses HTTP/1.1 over TLS 1.2 or later. A server is rejected if its certificate lacks a subject alternative
    /// name, is signed with SHA-1 or MD5, or has an RSA key of fewer than 2,048 bits. A response with a status below
    /// 100 fails as `notHTTP`. A request that may be repeated is sent once more when the server has closed the pooled
    /// connection.
    public final class AsyncHTTPClientTransport: HTTPTransport {
        private let client: HTTPClient
        private let userAgent: String?

        /// Makes a transport with a client of its own, which is shut down with it.
        ///
        /// A client made elsewhere is not accepted, since its settings are not visible; `HTTPClient.shared`, for one,
        /// follows redirects. The threads are the shared ones.
        ///
        /// - Parameters:
        ///   - userAgent: The `User-Agent` of a request that has none of its own; `nil` sends none.
        ///   - connectionsPerHost: The largest number of connections to one host; HTTP/1.1 needs one for each request
        ///     under way. A request fails as `unreachable` when it waits for a free connection longer than a connection
        ///     may take to open. Default: 32.
        ///   - configure: Changes the configuration, such as its trusted roots or proxy. The client's own tracing is
        ///     off before. Redirects, decompression, HTTP/2 and versions of TLS before 1.2 are turned off afterwards.
        ///     The rules for certificates apply only if certificates are verified.
        public init(
            userAgent: String? = "Ostiary",
            connectionsPerHost: Int = 32,
            configure: (inout HTTPClient.Configuration) -> Void = { _ in }
        ) {
            var configuration = HTTPClient.Configuration()
            // A refused connection is a result; retrying until the deadline would hide it.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.networkFrameworkWaitForConnectivity = false
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, connectionsPerHost)
            // A transport that traces writes `traceparent` itself: beside the client's the server would get two.
            configuration.tracing.tracer = nil
            configure(&configuration)
            configuration.redirectConfiguration = .disallow
            configuration.decompression = .disabled
            // The parser of HTTP/2 traps on a negative status, before any handler of ours could reject it.
            configuration.httpVersion = .http1Only
            var tls = configuration.tlsConfiguration ?? .makeClientConfiguration()
            if [.tlsv1, .tlsv11].contains(tls.minimumTLSVersion) { tls.minimumTLSVersion = .tlsv12 }
            configuration.tlsConfiguration = tls
            let isVerified = tls.certificateVerification != .none
            configuration.http1_1ConnectionDebugInitializer = { channel in
                ConnectionGuard.add(to: channel, verifying: isVerified)
            }
            client = HTTPClient(configuration: configuration)
            self.userAgent = userAgent
        }

        deinit {
            // A request under way retains the transport, so there is nothing to wait for.
            client.shutdown { _ in }
        }

        /// Sends a request.
        ///
        /// - Throws: `insecureURL` for a URL that is not http or https, and `invalidRequest` for a GET or HEAD with a
        ///   body, before anything is sent; otherwise the reason that no response came.
        public func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            try await send(request, reading: .body)
        }

        /// Sends a request and returns the status of the response.
        ///
        /// The body is not read, however long it is, and its connection is closed.
        ///
        /// - Throws: As ``send(_:)``.
        public func status(of request: EndpointRequest) async throws(TransportFailure) -> HTTPResponse.Status {
            try await send(request, reading: .head).status
        }

        private func send(
            _ request: EndpointRequest,
            reading part: ResponsePart
        ) async throws(TransportFailure) -> EndpointResponse {
            guard !Task.isCancelled else { throw .cancelled }
            let clientRequest = try HTTPClientRequest(request, userAgent: userAgent)
            // The client's own timeout covers only the head of the response.
            let result = await withTaskGroup(of: Result<EndpointResponse, TransportFailure>.self) { group in
                group.addTask { [client] in
                    let answer = await clientRequest.answer(by: client, to: request, reading: part)
                    guard case .failure(.stale) = answer, request.mayBeRepeated, !Task.isCancelled else {
                        return answer.mapError(\.failure)
                    }
                    return await clientRequest.answer(by: client, to: request, reading: part).mapError(\.failure)
                }
                group.addTask {
                    let isOver: Void? = try? await Task.sleep(for: request.limits.deadline, clock: .continuous)
                    return .failure(isOver == nil ? .cancelled : .timedOut)
                }
                defer { group.cancelAll() }
                return await group.next() ?? .failure(.interrupted)
            }
            return try result.get()
        }
    }

    /// The end of what is read of a response.
    private enum ResponsePart: Sendable {
        case head, body
    }

    extension HTTPClientRequest {
        /// Sends the request and reads the whole response, however long that takes.
        fileprivate func answer(
            by client: HTTPClient,
            to request: EndpointRequest,
            reading part: ResponsePart
        ) async -> Result<EndpointResponse, AttemptFailure> {
            var hasHead = false
            do {
                let response = try await client.execute(self, deadline: .distantFuture)
                hasHead = true
                let body = part == .body ? try await response.body(of: request) : []
                // The body of a cancelled task ends early, and looks complete.
                guard !Task.isCancelled else { return .failure(.final(.cancelled)) }
                return .success(
                    EndpointResponse(
                        status: HTTPResponse.Status(code: Int(response.status.code)),
                        fields: HTTPFields(response.headers),
                        body: body
                    )
                )
            } catch let failure as TransportFailure {
                return .failure(.final(failure))
            } catch {
                guard !Task.isCancelled else { return .failure(.final(.cancelled)) }
                if error is StaleConnection { return .failure(.stale) }
                return .failure(.final(TransportFailure(error, hasHead: hasHead)))
            }
        }
    }

    /// The reason that one attempt brought no response.
    private enum AttemptFailure: Error {
        /// Another attempt would not help, or the caller has to know.
        case final(TransportFailure)
        /// The server had closed the connection that the pool kept.
        case stale

        var failure: TransportFailure {
            switch self {
            case .final(let failure): failure
            case .stale: .interrupted
            }
        }
    }

    extension HTTPClientRequest {
        fileprivate init(_ request: EndpointRequest, userAgent: String?) throws(TransportFailure) {
            guard let scheme = request.url.scheme?.lowercased(), scheme == "https" || scheme == "http",
                request.url.host()?.isEmpty == false
            else { throw .insecureURL }
            let body = request.body
            guard body == nil || (request.method != .get && request.method != .head) else { throw .invalidRequest }

            self.init(url: request.url.absoluteString)
            method = HTTPMethod(rawValue: request.method.rawValue)
            let fields = request.allFields
            for name in fields.map(\.name).reduce(into: [HTTPField.Name](), { if !$0.contains($1) { $0.append($1) } }) {
                // Read by name, cookies come joined: HTTP/1.1 has one Cookie line, and servers read only the first.
                headers.add(name: name.rawName, value: fields[name] ?? "")
            }
            if !headers.contains(name: "Accept-Encoding") { headers.add(name: "Accept-Encoding", value: "identity") }
            if let userAgent, !headers.contains(name: "User-Agent") {
                headers.add(name: "User-Agent", value: userAgent)
            }
            if let body { self.body = .bytes(ByteBuffer(bytes: body)) }
        }
    }

    extension HTTPClientResponse {
        /// Reads the body up to the limit, and no part beyond it.
        fileprivate func body(of request: EndpointRequest) async throws -> [UInt8] {
            guard request.method != .head else { return [] }
            let limit = request.limits.maximumBodyBytes
            if let length = headers.first(name: "Content-Length").flatMap({ Int($0) }), length > limit {
                throw TransportFailure.tooLarge
            }
            var bytes: [UInt8] = []
            for try await part in body {
                guard part.readableBytes <= limit - bytes.count else { throw TransportFailure.tooLarge }
                bytes.append(contentsOf: part.readableBytesView)
            }
            return bytes
        }
    }

    extension HTTPFields {
        fileprivate init(_ headers: HTTPHeaders) {
            self.init()
            for (name, value) in headers {
                guard let name = HTTPField.Name(name) else { continue }
                append(HTTPField(name: name, value: value))
            }
        }
    }
#endif
