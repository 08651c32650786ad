import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryOAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request in progress: its response so far, and the caller that waits for it.
///
/// It ends once; later events are dropped.
final class URLSessionExchange: Sendable {
    typealias Outcome = Result<EndpointResponse, TransportFailure>

    private enum State {
        case receiving(Answer, CheckedContinuation<Outcome, Never>?)
        case ended(Outcome?)
    }

    /// The action that runs once when the exchange has ended.
    private enum End {
        case unset
        case set(@Sendable () -> Void)
        case done
    }

    private struct Answer {
        var head: (status: HTTPResponse.Status, fields: HTTPFields)?
        var body: [UInt8] = []
    }

    private let maximumBodyBytes: Int
    private let answerHasBody: Bool
    private let isSecure: Bool
    private let state = Lock(State.receiving(Answer(), nil))
    private let endAction = Lock(End.unset)

    init(of request: EndpointRequest) {
        maximumBodyBytes = request.limits.maximumBodyBytes
        answerHasBody = request.method != .head
        isSecure = request.url.scheme?.lowercased() == "https"
    }

    /// Resumes the continuation when the exchange ends, or at once when it has.
    func setContinuation(_ continuation: CheckedContinuation<Outcome, Never>) {
        let early = state.withLock { state -> Outcome? in
            switch state {
            case .receiving(let answer, _):
                state = .receiving(answer, continuation)
                return nil
            case .ended(let outcome):
                state = .ended(nil)
                return outcome
            }
        }
        if let early { continuation.resume(returning: early) }
    }

    /// Whether it has not ended.
    var isUnderWay: Bool {
        state.withLock { if case .receiving = $0 { true } else { false } }
    }

    /// Sets the action for the end of the exchange; it runs at once if that has ended.
    func setEnd(_ action: @escaping @Sendable () -> Void) {
        endAction.withLock { $0 = .set(action) }
        if !isUnderWay { performEnd() }
    }

    /// Takes the head of a response, which replaces the one before it: libcurl also reports interim responses and a
    /// proxy's response to CONNECT.
    ///
    /// - Returns: Whether to continue reading.
    func receive(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else {
            fail(.notHTTP)
            return false
        }
        guard response.statusCode >= 200 else { return true }
        let fields = HTTPFields(response)
        if answerHasBody, let length = fields[.contentLength].flatMap({ Int64($0) }), length > Int64(maximumBodyBytes) {
            fail(.tooLarge)
            return false
        }
        return state.withLock { state in
            guard case .receiving(var answer, let continuation) = state else { return false }
            answer.head = (HTTPResponse.Status(code: response.statusCode), fields)
            answer.body = []
            state = .receiving(answer, continuation)
            return true
        }
    }

    /// Takes a part of the body, decoded.
    func receive(_ data: Data) {
        let fits = state.withLock { state -> Bool in
            guard case .receiving(var answer, let continuation) = state else { return true }
            guard data.count <= maximumBodyBytes - answer.body.count else { return false }
            state = .ended(nil)  // so that the bytes have one owner while they grow
            answer.body.append(contentsOf: data)
            state = .receiving(answer, continuation)
            return true
        }
        if !fits { fail(.tooLarge) }
    }

    /// Ends the exchange with the response as received.
    func finish(fallback response: URLResponse?) {
        // Linux reports a redirect status without a usable Location by nothing but the task's response.
        let hasHead = state.withLock { state in
            if case .receiving(let answer, _) = state { answer.head != nil } else { true }
        }
        if !hasHead, let response { _ = receive(response) }
        end { answer in
            guard let head = answer.head else { return .failure(.notHTTP) }
            return .success(EndpointResponse(status: head.status, fields: head.fields, body: answer.body))
        }
    }

    /// Ends the exchange without a response.
    func fail(_ failure: TransportFailure) {
        end { _ in .failure(failure) }
    }

    /// Ends the exchange because the session could not carry it out.
    ///
    /// `hasSentBody` says whether a byte of the request's body has left.
    func end(because error: any Error, hasSentBody: Bool) {
        let isSecure = isSecure
        end {
            .failure(
                TransportFailure(error, isSecure: isSecure, hasSentBody: hasSentBody, hasHead: $0.head != nil)
            )
        }
    }

    private func end(_ outcome: (Answer) -> Outcome) {
        let waiting = state.withLock { state -> (CheckedContinuation<Outcome, Never>, Outcome)? in
            guard case .receiving(let answer, let continuation) = state else { return nil }
            let outcome = outcome(answer)
            guard let continuation else {
                state = .ended(outcome)
                return nil
            }
            state = .ended(nil)
            return (continuation, outcome)
        }
        performEnd()
        if let (continuation, outcome) = waiting { continuation.resume(returning: outcome) }
    }

    private func performEnd() {
        let action = endAction.withLock { end -> (@Sendable () -> Void)? in
            guard case .set(let action) = end else { return nil }
            end = .done
            return action
        }
        action?()
    }
}
