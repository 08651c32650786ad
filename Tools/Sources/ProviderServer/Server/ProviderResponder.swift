import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import OstiaryOAuth
import OstiaryProvider
import Synchronization

/// Turns HTTP messages into the provider's values and back.
final class ProviderResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    /// A provider and its issuer, once they are known.
    struct Served: Sendable {
        var provider: Provider
        var issuer: Issuer
        /// The names to be called by; `nil` for any.
        var hosts: HostNames?
        var pages: any PageRenderer
        /// The inspector; `nil` for none.
        var inspector: Inspector?

        /// Whether a path is below the issuer, or that of its metadata before the path (RFC 8414 section 3.1).
        fileprivate func contains(_ path: String) -> Bool {
            let base = issuer.basePath
            return base.isEmpty || path == base || path.hasPrefix(base + "/")
                || [Route.openIDConfiguration, .authorizationServer].contains { path == $0.rawValue + base }
        }
    }

    private let served = Mutex<[Served]>([])
    private let delay: @Sendable (String) async -> Void
    private let logger: Logger

    init(delay: @escaping @Sendable (String) async -> Void, logger: Logger) {
        self.delay = delay
        self.logger = logger
    }

    /// Serves providers: of those that contain a path, the one with the longest path of its own, and failing that the
    /// first one.
    func serve(_ served: [Served]) {
        self.served.withLock { $0 = served }
    }

    private func served(_ path: String) -> Served? {
        let all = served.withLock { $0 }
        guard all.count > 1 else { return all.first }
        return all.filter { $0.contains(path) }.max { $0.issuer.basePath.count < $1.issuer.basePath.count } ?? all.first
    }

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let (path, query) = Self.split(request.head.path ?? "/")
        var response = try await response(to: request, path: path, query: query)
        response.headers[.xContentTypeOptions] = "nosniff"
        logger.info(
            "request",
            metadata: [
                "method": "\(request.method.rawValue.prefix(16))",
                "path": "\(path.prefix(256))",
                "status": .stringConvertible(response.status.code),
            ]
        )
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func response(to request: Request, path: String, query: String?) async throws -> Response {
        guard let served = served(path) else {
            return .sentence("The provider is starting.", .serviceUnavailable, [.retryAfter: "1"])
        }
        // Also by an address that no client uses, such as a container's own: it tells nothing.
        if path == "/health", request.method == .get || request.method == .head { return .sentence("ok", .ok) }
        if let hosts = served.hosts, !hosts.contains(request.head.authority) {
            return .sentence(
                "This provider is not known by that host name. Its issuer is \(served.issuer).",
                .misdirectedRequest
            )
        }
        if let response = served.inspector?.response(to: request, path: path, query: query) { return response }
        if let file = Self.file(path, of: served.issuer), request.method == .get || request.method == .head {
            return file
        }
        var read = ProviderRequest(method: request.method, path: path, query: query, fields: request.headers)
        switch try await LimitedBody(reading: request, limit: served.provider.maximumBodyBytes(of: read)) {
        case .whole(let body):
            read.body = body
            let answer = await served.provider.answer(to: read)
            await delay(path)
            return Response(answer, pages: served.pages)
        case .tooLarge:
            return .sentence("The request is too large.", .contentTooLarge)
        case .endless:
            return .closing("The request is too large.", .contentTooLarge)
        }
    }

    private static func split(_ target: String) -> (path: String, query: String?) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    private static func file(_ path: String, of issuer: Issuer) -> Response? {
        guard path.hasPrefix(issuer.basePath), let file = PageFile.served[String(path.dropFirst(issuer.basePath.count))]
        else { return nil }
        return Response(
            status: .ok,
            headers: [.contentType: file.mediaType, .cacheControl: "public, max-age=300"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes))
        )
    }
}

extension Provider {
    /// The response, which for HEAD has the content that GET would bring.
    ///
    /// A header without a length would be sent in chunks, and NIO sends the last, empty chunk after HEAD too, where it
    /// would be taken for the next response (RFC 9112 section 6.3).
    fileprivate func answer(to request: ProviderRequest) async -> ProviderResponse {
        let answer = await respond(to: request)
        guard request.method == .head, answer.status != .methodNotAllowed else { return answer }
        var get = request
        get.method = .get
        return await respond(to: get)
    }
}

extension Response {
    /// Makes the HTTP response from the provider's, rendering its page.
    fileprivate init(_ answer: ProviderResponse, pages: any PageRenderer) {
        let body =
            switch answer.content {
            case .none: ByteBuffer()
            case .bytes(let bytes): ByteBuffer(bytes: bytes)
            case .page(let page): ByteBuffer(string: pages.html(for: page))
            }
        self.init(status: answer.status, headers: answer.fields, body: ResponseBody(byteBuffer: body))
    }

    /// Returns a response with one sentence.
    static func sentence(
        _ text: String,
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields = [:]
    ) -> Response {
        var fields = fields
        fields[.contentType] = "text/plain; charset=utf-8"
        fields[.cacheControl] = "no-store"
        return Response(
            status: status,
            headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n"))
        )
    }

    /// One sentence, after which the connection is closed, whatever is still to be read from it.
    fileprivate static func closing(_ text: String, _ status: HTTPResponse.Status) -> Response {
        var response = sentence(text, status, [.connection: "close"])
        let buffer = ByteBuffer(string: text + "\n")
        response.body = ResponseBody(contentLength: buffer.readableBytes) { writer in
            try await writer.write(buffer)
            try await writer.finish(nil)
            throw ConnectionEnds()
        }
        return response
    }
}

/// Thrown after a response to close the connection.
private struct ConnectionEnds: Error {}
