import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The network of this machine, for a provider behind a port.
enum BrowserNetwork {
    @Sendable static func send(_ request: BrowserRequest) async -> BrowserResponse? {
        var sent = URLRequest(url: request.url)
        sent.httpMethod = request.method
        for (name, value) in request.fields { sent.setValue(value, forHTTPHeaderField: name) }
        if !request.body.isEmpty { sent.httpBody = Data(request.body) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = sent
        return await withCheckedContinuation { continuation in
            session.dataTask(with: task) { data, response, _ in
                guard let response = response as? HTTPURLResponse else { return continuation.resume(returning: nil) }
                let fields = response.allHeaderFields.compactMap { name, value -> (name: String, value: String)? in
                    guard let name = name as? String, let value = value as? String else { return nil }
                    return (name.lowercased(), value)
                }
                continuation.resume(
                    returning: BrowserResponse(status: response.statusCode, fields: fields, body: Array(data ?? Data()))
                )
            }
            .resume()
        }
    }

    private final class NoRedirects: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(nil) }
    }
}
