import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of a ``URLSessionTransport``'s session: it knows which exchange each task carries, and refuses all that
/// a session would do on its own.
final class URLSessionTransportDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: URLSessionExchange]>([:])

    /// Where tasks are made, started and cancelled.
    ///
    /// On Linux all three wait for the queue on which the session reads. No thread of Swift's pool, and not the
    /// delegate's either, may wait for a server that keeps that queue busy.
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
            // Linux asks after the whole 401 answer has come, and left alone the task would never end; each
            // disposition either hangs or cancels, so the answer is taken first.
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
            // The server's certificate is judged as usual. No other challenge is answered, not even with what a
            // Kerberos ticket or a keychain would offer: the 401 is the answer.
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
