import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fetches that anyone can make the provider send, which are bounded: of a client's `request_uri` (RFC 9101 section
/// 10.4.1), and of the `sector_identifier_uri` of a registration.
final class RequestFetches: Sendable {
    private static let maximumUnderWay = 20
    private static let maximumUnderWayOfClient = 4
    private static let maximumWithinMinute = 60
    private static let maximumClients = 200

    private struct Fetches {
        var underWay = 0
        var begun: [Date] = []
    }

    private let clients = Lock<[String?: Fetches]>([:])

    /// Begins a fetch, unless there are too many.
    ///
    /// `clientID` is the client whose request object it is; `nil` for a registration.
    ///
    /// - Returns: The bound that is reached; `nil` for a fetch that ``end(_:)`` has to end.
    func begin(_ clientID: String?, now: Date) -> String? {
        clients.withLock { clients in
            if clients.count > Self.maximumClients {
                clients = clients.filter { $0.value.underWay > 0 || !Self.recent($0.value.begun, now).isEmpty }
            }
            var own = clients[clientID] ?? Fetches()
            own.begun = Self.recent(own.begun, now)
            guard own.begun.count < Self.maximumWithinMinute else {
                return "there are at most \(Self.maximumWithinMinute) fetches within a minute"
            }
            guard own.underWay < Self.maximumUnderWayOfClient else {
                return "there are at most \(Self.maximumUnderWayOfClient) fetches at once"
            }
            guard clients.values.reduce(0, { $0 + $1.underWay }) < Self.maximumUnderWay else {
                return "the provider fetches at most \(Self.maximumUnderWay) at once"
            }
            own.underWay += 1
            own.begun.append(now)
            clients[clientID] = own
            return nil
        }
    }

    /// Ends a fetch.
    func end(_ clientID: String?) { clients.withLock { $0[clientID]?.underWay -= 1 } }

    private static func recent(_ times: [Date], _ now: Date) -> [Date] {
        times.filter { now.timeIntervalSince($0) < 60 }
    }
}
