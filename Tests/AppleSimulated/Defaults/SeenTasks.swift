import Foundation
import OstiaryCompatibility
import OstiaryOAuth
import SimulatedPlatform
import SimulatedWorld

/// The background tasks that ran while a request was under way.
final class SeenTasks: Sendable {
    private let seen = Lock<[String: [String]]>([:])

    func tasks(at path: String) -> [String]? { seen.withLock { $0[path] } }

    func watching(_ transport: any HTTPTransport) -> any HTTPTransport { Watched(transport: transport, seen: self) }

    private struct Watched: HTTPTransport {
        let transport: any HTTPTransport
        let seen: SeenTasks

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            seen.seen.withLock { $0[request.url.path] = device.snapshot.background.running }
            return try await transport.send(request)
        }
    }
}
