import Dispatch
import Foundation
import OstiaryCompatibility

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of a ``URLSessionTransport``'s session: it knows which exchange each task carries, and refuses all that
/// a session would do on its own.
final class URLSessionTransportDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Lock<[Int: URLSessionExchange]>([:])

    /// The queue on which tasks are made, started and cancelled.
    ///
    /// On Linux all three wait for the queue on which the session reads. Neither a thread of Swift's pool nor the
    /// delegate's may wait for a server that keeps that queue busy.
    let control = DispatchQueue(label: "ostiary.transport.control")

    /// Connects a task with its exchange: when the exchange ends first, the task is cancelled.
    func connect(_ task: URLSessionTask, with exchange: URLSessionExchange) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
        exchange.setEnd { [self] in
            if takeExchange(of: task) != nil { control.async { task.cancel() } }
        }
    }

    private func takeExchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // Linux disregards the disposition; the end of the exchange cancels the task.
        completionHandler(exchange(of: dataTask)?.receive(response) == true ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = takeExchange(of: task) else { return }
        if let error {
            exchange.end(because: error, hasSentBody: task.countOfBytesSent > 0)
        } else {
            exchange.finish(fallback: task.response)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // Linux would carry Authorization and Cookie to any other origin.
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // Linux calls this after the whole 401 response has come, and the task would otherwise never end. Each
            // disposition either hangs or cancels, so the response is taken first.
            takeExchange(of: task)?.finish(fallback: task.response)
            control.async { completionHandler(.cancelAuthenticationChallenge, nil) }
        }
    #else
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // The server's certificate is validated as usual. No other challenge is answered, not even with a Kerberos
            // ticket or a credential of the keychain: the 401 is the response.
            let isTrust = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
            completionHandler(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
        ) {
            completionHandler(nil)
        }
    #endif
}
