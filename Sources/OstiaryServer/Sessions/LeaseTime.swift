import OstiaryCompatibility
import OstiaryOAuth

/// The time limits of the work under a session's lease, from the moment before the lease is requested.
///
/// The clocks of two instances may differ by 20 seconds, so another instance may find a lease expired 40 seconds after it began.
/// The limits add up to less: the requests end after 25 seconds, the checks of their responses after 30, and ten seconds
/// are left for the store.
struct LeaseTime: Sendable {
    /// The lifetime of a lease, in seconds.
    static let lifetime: Double = 60
    /// The time after which no request for a token is under way any more, in seconds.
    private static let requests: Double = 25
    /// The time after which the checks have ended, in seconds.
    private static let checks: Double = 30

    private let start: Double
    private let uptime: @Sendable () -> Double

    /// Begins now.
    init(_ clock: DeviceClock) {
        uptime = clock.uptime
        start = uptime()
    }

    /// Whether a request can end in time that may take as long as its deadline.
    func allows(_ limits: EndpointRequest.Limits) -> Bool {
        uptime() + limits.deadline.inSeconds <= start + Self.requests
    }

    /// A transport for the requests under the lease.
    func bounding(_ transport: any HTTPTransport) -> LeasedTransport { LeasedTransport(transport, time: self) }

    /// The error of a request that could outlast the lease, and was not sent.
    fileprivate func refusal(of limits: EndpointRequest.Limits) -> SignInError {
        let (used, latest) = (uptime() - start, Self.requests - limits.deadline.inSeconds)
        var error = SignInError(.refresh, .timedOut)
        error.isUnsent = true
        error.detail =
            "The issuer rejected the token request after \(Int(used.rounded(.up))) seconds, and it is repeated within "
            + "\(Int(latest)) seconds only: check the issuer's latency."
        return error
    }

    /// Whether the time for checks is over.
    var isOver: Bool { left <= 0 }

    private var left: Double { start + Self.checks - uptime() }

    /// Runs a body that ends when its task is cancelled, which happens when the time for checks is over.
    ///
    /// - Returns: `nil` when the time was over first.
    func result<Value: Sendable>(of body: @escaping @Sendable () async -> Value) async -> Value? {
        let left = left
        guard left > 0 else { return nil }
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: .seconds(left), clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// Sends a request only while its whole deadline lies in the time of a lease.
final class LeasedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let time: LeaseTime
    private let refused = Lock<SignInError?>(nil)

    fileprivate init(_ transport: any HTTPTransport, time: LeaseTime) {
        self.transport = transport
        self.time = time
    }

    /// The error of the request that came too late and was not sent; `nil` when there was none.
    ///
    /// It does not count as a failure of the issuer, which has responded.
    var refusal: SignInError? { refused.withLock { $0 } }

    /// - Throws: `unreachable` for a request that comes too late: it has not been sent.
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard time.allows(request.limits) else {
            refused.withLock { $0 = time.refusal(of: request.limits) }
            throw .unreachable
        }
        return try await transport.send(request)
    }
}
