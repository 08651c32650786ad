import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryTesting

/// Answers one path with a status, and lets everything else through.
struct AnsweringTransport: HTTPTransport {
    let status: Int
    let next: any HTTPTransport
    let path: String

    init(status: Int, over next: any HTTPTransport, path: String) {
        self.status = status
        self.next = next
        self.path = path
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url.path() == path else { return try await next.send(request) }
        return EndpointResponse(status: .init(code: status))
    }
}

/// Holds requests to one path until the test opens it.
final class GatedTransport: HTTPTransport {
    private let next: any HTTPTransport
    private let path: String
    private let arrivals: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let gate: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    /// Whether a request is held, or its response.
    private let holdsResponse: Bool

    init(over next: any HTTPTransport, path: String, holdingResponse holdsResponse: Bool = false) {
        self.next = next
        self.path = path
        self.holdsResponse = holdsResponse
        arrivals = AsyncStream.makeStream()
        gate = AsyncStream.makeStream()
    }

    /// Waits until a request is being held.
    func arrival() async { for await _ in arrivals.stream { return } }
    /// Lets every request go, those to come, too.
    func open() { gate.continuation.finish() }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url.path() == path else { return try await next.send(request) }
        let early = holdsResponse ? try await next.send(request) : nil
        arrivals.continuation.yield()
        for await _ in gate.stream {}
        if let early { return early }
        return try await next.send(request)
    }
}

/// Answers the first request to a path with 503 and a time to wait.
final class BusyOnce: HTTPTransport {
    private let next: any HTTPTransport
    private let path: String
    private let seconds: Int
    private let isDone = Lock(false)

    init(over next: any HTTPTransport, path: String, seconds: Int) {
        self.next = next
        self.path = path
        self.seconds = seconds
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let isFirst =
            request.url.path() == path
            && isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
        if isFirst { return EndpointResponse(status: .serviceUnavailable, fields: [.retryAfter: "\(seconds)"]) }
        return try await next.send(request)
    }
}

/// Refuses the access token of some requests to one path.
final class RefusingTransport: HTTPTransport {
    private let next: any HTTPTransport
    private let path: String
    private let left = Lock(0)

    init(over next: any HTTPTransport, path: String) {
        self.next = next
        self.path = path
    }

    /// Refuses the next requests, and no others.
    func refuse(_ count: Int) { left.withLock { $0 = count } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let isRefused =
            request.url.path() == path
            && left.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
        guard isRefused else { return try await next.send(request) }
        return EndpointResponse(
            status: .unauthorized,
            fields: [.wwwAuthenticate: "Bearer error=\"invalid_token\""]
        )
    }
}
