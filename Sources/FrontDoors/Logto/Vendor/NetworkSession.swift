import HTTPTypes
public import Ostiary
import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationNetworking)
    public import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A session that loads the data of a URL request, under the name of Logto's SDK.
///
/// `URLSession` is one, and so is a test's own type. An `HTTPTransport` becomes one with an empty extension. A
/// `URLSession` follows no redirect here, whatever its delegate says, because a request may carry a token.
public protocol NetworkSession: Sendable {
    /// Loads a request's data.
    ///
    /// - Returns: The body of a successful response, or the error: ``LogtoErrors/Response`` for another status.
    func loadData(with request: URLRequest) async -> (Data?, (any Error)?)
}

extension URLSessionTransport: NetworkSession {}

extension NetworkSession where Self: HTTPTransport {
    /// Sends the request with this transport's limits.
    public func loadData(with request: URLRequest) async -> (Data?, (any Error)?) {
        guard let url = request.url, let method = HTTPRequest.Method(request.httpMethod ?? "GET") else {
            return (nil, LogtoErrors.UrlConstruction.unableToConstructUrl)
        }
        return await LogtoRequest.load(
            with: self,
            method: method,
            url: url,
            headers: request.allHTTPHeaderFields ?? [:],
            body: request.httpBody
        )
    }
}

extension URLSession: NetworkSession {
    /// Loads a request's data; a redirect is not followed.
    ///
    /// - Returns: The body of a response with a status below 400, or the error; a redirect is one.
    public func loadData(with request: URLRequest) async -> (Data?, (any Error)?) {
        let (data, response, error) = await load(request)
        if let error { return (nil, error) }
        guard let response = response as? HTTPURLResponse else {
            return (nil, LogtoErrors.Response.notHttpResponse(response: response))
        }
        guard ![301, 302, 303, 307, 308].contains(response.statusCode) else {
            return (nil, TransportFailure.redirectRefused)
        }
        guard response.statusCode < 400 else {
            return (nil, LogtoErrors.Response.withCode(code: response.statusCode, httpResponse: response, data: data))
        }
        return (data, nil)
    }

    fileprivate func load(_ request: URLRequest) async -> (Data?, URLResponse?, (any Error)?) {
        let loading = LoadingTask()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                #if canImport(FoundationNetworking)
                    // Foundation on Linux asks the delegate of a session alone, and none about a task with a completion
                    // handler: it would carry the request's fields to any host. The app's own delegate is not asked.
                    let delegate = SingleLoad { continuation.resume(returning: $0) }
                    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
                    loading.start(session.dataTask(with: request))
                    // A session keeps its delegate until it is invalidated.
                    session.finishTasksAndInvalidate()
                #else
                    let task = dataTask(with: request) { continuation.resume(returning: ($0, $1, $2)) }
                    task.delegate = RedirectRefusal()
                    loading.start(task)
                #endif
            }
        } onCancel: {
            loading.cancel()
        }
    }
}

/// A task that may be cancelled before it is started.
private final class LoadingTask: Sendable {
    private let state = Lock<(task: URLSessionDataTask?, isCancelled: Bool)>((nil, false))

    func start(_ task: URLSessionDataTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        task.resume()
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

#if canImport(FoundationNetworking)
    /// The delegate of a session for one request: it refuses redirects, and collects the response.
    private final class SingleLoad: NSObject, URLSessionDataDelegate {
        typealias Outcome = (Data?, URLResponse?, (any Error)?)

        private let state: Lock<(body: Data, end: (@Sendable (Outcome) -> Void)?)>

        /// - Parameter end: Called once with the response or the error.
        init(_ end: @escaping @Sendable (Outcome) -> Void) { state = Lock((Data(), end)) }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            state.withLock { $0.body.append(data) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            finish(error == nil ? task.response : nil, error)
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // Linux calls this after the whole response with status 401 has come; each disposition hangs or cancels.
            finish(task.response, nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }

        private func finish(_ response: URLResponse?, _ error: (any Error)?) {
            let (end, body) = state.withLock { state in
                defer { state.end = nil }
                return (state.end, state.body)
            }
            end?((error == nil ? body : nil, response, error))
        }
    }
#else
    /// Refuses the redirects of one task; everything else stays with the session's own delegate.
    private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
#endif

/// The transport that a session of the app's own is.
///
/// A session of another type than `URLSession` shows a body and no header field: it counts as JSON.
struct SessionTransport: HTTPTransport {
    private let session: any NetworkSession

    /// Returns a session's transport: itself, if it is one.
    static func of(_ session: any NetworkSession) -> any HTTPTransport {
        if let transport = session as? any HTTPTransport { return transport }
        // The shared session has no settings of the app's. The library's own transport follows no redirect anywhere.
        if (session as? URLSession) === URLSession.shared { return shared }
        return SessionTransport(session: session)
    }

    private static let shared = URLSessionTransport()

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard !Task.isCancelled else { throw .cancelled }
        guard let scheme = request.url.scheme?.lowercased(), ["https", "http"].contains(scheme) else {
            throw .insecureURL
        }
        guard request.body == nil || ![.get, .head].contains(request.method) else { throw .invalidRequest }
        let response = try await load(URLRequest(request))
        guard response.body.count <= request.limits.maximumBodyBytes else { throw .tooLarge }
        return response
    }

    private func load(_ request: URLRequest) async throws(TransportFailure) -> EndpointResponse {
        guard let session = session as? URLSession else {
            switch await session.loadData(with: request) {
            case (_, .some(let error)): return try EndpointResponse(error)
            case (.some(let data), _):
                return EndpointResponse(fields: [.contentType: "application/json"], body: Array(data))
            case (.none, .none): throw .notHTTP
            }
        }
        let (data, response, error) = await session.load(request)
        if let error { throw TransportFailure(loading: error) }
        guard let response = response as? HTTPURLResponse else { throw .notHTTP }
        return EndpointResponse(response, data)
    }
}

extension EndpointResponse {
    fileprivate init(_ response: HTTPURLResponse, _ data: Data?) {
        var fields: HTTPFields = [:]
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields[name] = value
        }
        self.init(
            status: HTTPResponse.Status(code: (0...999).contains(response.statusCode) ? response.statusCode : 0),
            fields: fields,
            body: data.map { Array($0) } ?? []
        )
    }

    /// The response that a session reported as an error.
    fileprivate init(_ error: any Error) throws(TransportFailure) {
        guard case .withCode(_, let response, let data) = error as? LogtoErrors.Response else {
            throw TransportFailure(loading: error)
        }
        self.init(response, data)
    }
}

extension TransportFailure {
    fileprivate init(loading error: any Error) {
        if let failure = error as? TransportFailure {
            self = failure
            return
        }
        guard let error = error as? URLError else {
            self = error is CancellationError ? .cancelled : .notHTTP
            return
        }
        switch error.code {
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        case .cannotFindHost, .dnsLookupFailed: self = .unknownHost
        case .networkConnectionLost: self = .interrupted
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self = .tls
        default: self = .unreachable
        }
    }
}

extension URLRequest {
    fileprivate init(_ request: EndpointRequest) {
        self.init(
            url: request.url,
            cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: Double(request.limits.deadline.components.seconds)
        )
        httpMethod = request.method.rawValue
        httpBody = request.body.map { Data($0) }
        httpShouldHandleCookies = false
        let fields = request.allFields
        for name in Set(fields.map(\.name)) { setValue(fields[name], forHTTPHeaderField: name.rawName) }
    }
}
