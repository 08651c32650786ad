import OstiaryOAuth
import OstiaryProvider

/// The hosts of clients, which respond only when they are released; a pause ends with the process.
actor HeldHosts: OutboundTransport {
    private let response: EndpointResponse
    private var held: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private var isReleased = false
    private(set) var count = 0

    private let limit: Int

    /// - Parameter limit: The number of the request that releases every one. Default: none does.
    init(_ response: EndpointResponse, releasedAt limit: Int = .max) {
        self.response = response
        self.limit = limit
    }

    func send(
        _ request: EndpointRequest,
        reach: OutboundReach
    ) async throws(OutboundFailure) -> EndpointResponse {
        count += 1
        if count == limit { release() }
        for arrival in arrivals where arrival.count <= count { arrival.continuation.resume() }
        arrivals.removeAll { $0.count <= count }
        if !isReleased { await withCheckedContinuation { held.append($0) } }
        return response
    }

    func wait(_ duration: Duration) async throws { throw CancellationError() }

    /// Waits until so many requests have come.
    func arrived(_ count: Int) async {
        guard self.count < count else { return }
        await withCheckedContinuation { arrivals.append((count, $0)) }
    }

    func release() {
        isReleased = true
        for continuation in held { continuation.resume() }
        held = []
    }
}
