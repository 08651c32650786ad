import Foundation
import HTTPTypes
public import OstiaryOAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#else
    import Security
#endif

/// The transport that every platform has: Foundation's `URLSession`, hardened.
///
/// It keeps no cookie, no cache and no credential, and follows no redirect. It responds to no authentication challenge,
/// requests no content coding, and measures the deadline of each request itself. One transport holds one session and
/// its connections; make it once and share it.
///
/// On Linux, `URLSession` is a layer over libcurl with these limitations (Swift 6.3):
///
/// - It honours the environment variables `http_proxy`, `https_proxy` and `no_proxy`, for loopback hosts as well. On
///   Apple platforms it honours the system's proxy settings.
/// - A body over its limit is cut off without back-pressure: the bytes that arrive until the connection closes,
///   megabytes from a fast server, are read and dropped.
/// - The body of a redirect is not seen before its end. One that never ends fails at the deadline, but may keep the
///   session busy, and other sessions of the process waiting, for as long as it is sent.
/// - FoundationNetworking ends the process when a connection closes within the head of a response, and when trailer
///   fields (RFC 9110 section 6.5) follow a body: https://github.com/swiftlang/swift-corelibs-foundation/issues/5285
///
/// On Linux, prefer the AsyncHTTPClient transport in a program that must keep running, uses untrusted servers, or sends
/// many requests at once.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let delegate: URLSessionTransportDelegate

    /// Makes a transport with a session of its own, which ends with it.
    ///
    /// - Parameter userAgent: Sent as `User-Agent` when a request has none of its own; `nil` leaves it to the platform,
    ///   which names the program and the versions of its networking libraries.
    public init(userAgent: String? = "Ostiary") {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        #if !canImport(FoundationNetworking)
            // App Transport Security demands it of apps, not of command line tools. Linux has no such setting.
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // Responses are small, and a coded one could grow without bound while it is decoded.
        configuration.httpAdditionalHeaders = ["Accept-Encoding": "identity"]
        if let userAgent { configuration.httpAdditionalHeaders?["User-Agent"] = userAgent }

        // Only the session's delegate can refuse a redirect: on Linux the one of a task is not called.
        let delegate = URLSessionTransportDelegate()
        self.delegate = delegate
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        // A session keeps its delegate and its threads until it is invalidated.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request.
    ///
    /// - Throws: `insecureURL` for a URL that is not http or https, and `invalidRequest` for a GET or HEAD with a body,
    ///   before anything is sent; otherwise the reason no response came.
    public func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard !Task.isCancelled else { throw .cancelled }
        let urlRequest = try URLRequest(request)
        let exchange = URLSessionExchange(of: request)

        // `timeoutIntervalForResource` is ignored on Linux and `timeoutInterval` loses its fraction of a second there.
        let deadline = Task {
            try await Task.sleep(for: request.limits.deadline, clock: .continuous)
            exchange.fail(.timedOut)
        }
        defer { deadline.cancel() }

        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.setContinuation(continuation)
                start(exchange, of: urlRequest)
            }
        } onCancel: {
            exchange.fail(.cancelled)
        }
        return try result.get()
    }

    private func start(_ exchange: URLSessionExchange, of request: URLRequest) {
        // Holds the transport: a session that has ended makes no tasks.
        delegate.control.async { [self] in
            guard exchange.isUnderWay else { return }
            let task = session.dataTask(with: request)
            delegate.connect(task, with: exchange)
            task.resume()
        }
    }
}

extension URLRequest {
    fileprivate init(_ request: EndpointRequest) throws(TransportFailure) {
        guard let scheme = request.url.scheme?.lowercased(), scheme == "https" || scheme == "http",
            request.url.host?.isEmpty == false
        else { throw .insecureURL }
        let body = request.body
        guard body == nil || (request.method != .get && request.method != .head) else { throw .invalidRequest }

        self.init(url: request.url)
        httpMethod = request.method.rawValue
        httpBody = body.map { Data($0) }
        httpShouldHandleCookies = false
        // Idle time, in whole seconds; longer than the deadline, so that it never fires before it.
        timeoutInterval = Double(request.limits.deadline.components.seconds) + 60
        let fields = request.allFields
        for name in Set(fields.map(\.name)) {
            setValue(fields[name], forHTTPHeaderField: name.rawName)
        }
    }
}
