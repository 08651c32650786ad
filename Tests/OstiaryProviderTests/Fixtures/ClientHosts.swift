import HTTPTypes
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The hosts of clients, as a function from request to response; its pauses move a clock.
final class ClientHosts: OutboundTransport {
    typealias Response = @Sendable (EndpointRequest, _ place: Int) throws(OutboundFailure) -> EndpointResponse

    private let kept = Lock<[(request: EndpointRequest, reach: OutboundReach)]>([])
    private let waits = Lock<[Duration]>([])
    private let clock: MovableClock?
    private let response: Response

    init(clock: MovableClock? = nil, _ response: @escaping Response = { _, _ in EndpointResponse() }) {
        self.clock = clock
        self.response = response
    }

    var requests: [EndpointRequest] { kept.withLock { $0.map(\.request) } }
    var reaches: [OutboundReach] { kept.withLock { $0.map(\.reach) } }
    var pauses: [Duration] { waits.withLock { $0 } }

    func send(
        _ request: EndpointRequest,
        reach: OutboundReach
    ) async throws(OutboundFailure) -> EndpointResponse {
        let place = kept.withLock {
            $0.append((request, reach))
            return $0.count
        }
        return try response(request, place)
    }

    func wait(_ duration: Duration) async throws {
        waits.withLock { $0.append(duration) }
        clock?.advance(by: duration)
    }
}

extension EndpointResponse {
    /// A response with a status alone.
    static func status(_ code: Int) -> EndpointResponse { EndpointResponse(status: HTTPResponse.Status(code: code)) }
}
