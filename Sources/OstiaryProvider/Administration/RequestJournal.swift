import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The reports of one request, while the provider responds to it.
final class RequestReports: Sendable {
    private static let maximum = 20

    private let kept = Lock<[ProviderEvent]>([])

    var events: [ProviderEvent] { kept.withLock { $0 } }

    func append(_ event: ProviderEvent) {
        kept.withLock { if $0.count < Self.maximum { $0.append(event) } }
    }
}

/// The last exchanges, for the administration and the inspector: each with the reason of its refusal, none with a secret.
final class RequestJournal: Sendable {
    /// The requests to list.
    struct Filter: Sendable {
        /// The client, as entries have it.
        var clientID: String?
        var route: Route?
        var isRefused: Bool?
        /// The number of the last request that the caller knows.
        var after = 0

        func contains(_ entry: RecordedExchange) -> Bool {
            // The provider's own requests are for the inspector.
            entry.receiver == .provider && entry.number > after && (route == nil || entry.route == route)
                && (isRefused == nil || entry.isRefused == isRefused)
                && (clientID.map { entry.clientID?.utf8.elementsEqual($0.utf8) ?? false } ?? true)
        }
    }

    /// The largest number of requests that the administration lists.
    static let listed = 500

    private struct State: Sendable {
        var entries: [RecordedExchange] = []
        /// The size of the entries, in bytes.
        var size = 0
        var count = 0
        /// The number of the last request that the administration has had forgotten.
        var cleared = 0
        var links: FlowLinks
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastObserver = 0

        /// Drops the oldest entries until a number and a size are kept.
        mutating func dropOldest(keeping capacity: Int, _ maximumSize: Int) {
            var dropped = 0
            while entries.count - dropped > capacity || size > maximumSize {
                size -= entries[dropped].size
                dropped += 1
            }
            entries.removeFirst(dropped)
        }
    }

    /// The largest number of exchanges that it keeps.
    private let capacity: Int
    /// The largest size of the exchanges that it keeps, in bytes: a client decides on the size of each.
    private let maximumSize: Int
    private let state: Lock<State>

    init(capacity: Int = listed, maximumSize: Int = 33_554_432) {
        self.capacity = capacity
        self.maximumSize = maximumSize
        // An exchange hands out three or four tokens at most, and most of them none.
        state = Lock(State(links: FlowLinks(capacity: 2 * capacity)))
    }

    /// Appends an exchange; its handles decide on its flow.
    func append(_ exchange: RecordedExchange, _ handles: FlowHandles? = nil) {
        state.withLock { state in
            state.count += 1
            var exchange = exchange
            exchange.number = state.count
            exchange.flow = state.count
            if let handles {
                exchange.flow = state.links.flow(of: handles.presented) ?? exchange.flow
                state.links.link(handles.issued, to: exchange.flow)
            }
            state.entries.append(exchange)
            state.size += exchange.size
            // Seldom, so that one request in many pays for it.
            if state.entries.count >= capacity + max(capacity / 10, 50) || state.size > maximumSize {
                state.dropOldest(keeping: capacity, maximumSize - maximumSize / 10)
            }
            for observer in state.observers.values { observer.yield() }
        }
    }

    /// The kept requests that a filter has, the oldest first, and whether earlier ones are forgotten that it may have.
    func entries(_ filter: Filter) -> (entries: [RecordedExchange], isTruncated: Bool) {
        state.withLock { state in
            let kept = state.entries.suffix(Self.listed)
            let first = kept.first?.number ?? state.count + 1
            return (kept.filter(filter.contains), first > max(filter.after, state.cleared) + 1)
        }
    }

    /// The kept exchanges after a number, the oldest first.
    func exchanges(after number: Int, maximum: Int) -> RecordedExchanges {
        state.withLock { state in
            let kept = state.entries.suffix(capacity)
            let first = kept.first?.number ?? state.count + 1
            // The numbers have no gap. Compared first: a caller may send any number.
            let known = number < first ? 0 : min(number - first + 1, kept.count)
            return RecordedExchanges(first: first, exchanges: Array(kept.dropFirst(known).prefix(maximum)))
        }
    }

    /// A stream with an element whenever exchanges were appended or forgotten since the last one.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            return state.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            // Not under the lock: a stream may end while an exchange is appended.
            _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
        }
        return stream
    }

    /// Forgets every request; the numbers go on.
    func clear() {
        state.withLock { state in
            state.entries = []
            state.size = 0
            state.cleared = state.count
            state.links.clear()
            for observer in state.observers.values { observer.yield() }
        }
    }
}

extension Provider {
    /// `/admin/requests`.
    func administerRequests(_ request: ProviderRequest) throws(Refusal) -> ProviderResponse {
        guard request.method == .get else {
            journal.clear()
            return .nothing
        }
        let (entries, isTruncated) = journal.entries(try RequestJournal.Filter(request))
        var object: JSONObject = ["requests": .array(entries.map { .object($0.administered) })]
        if isTruncated { object["truncated"] = true }
        return .json(object)
    }
}

extension RequestJournal.Filter {
    /// Reads the filter from a query: `client_id`, `endpoint`, `refused` and `after`.
    fileprivate init(_ request: ProviderRequest) throws(Refusal) {
        guard let query = request.queryParameters else {
            throw .json(.invalidRequest, "The query cannot be read.")
        }
        for name in query.names {
            guard query.values(of: name).count == 1, let value = query[name] else {
                throw .json(.invalidRequest, "The query has \(name.rawValue.logged) more than once.")
            }
            switch name.rawValue {
            case "client_id": clientID = value.logged
            case "endpoint":
                guard let route = Route(name: value) else {
                    throw .json(.invalidRequest, ScenarioTurn.Failure.endpoint(value).description)
                }
                self.route = route
            case "refused":
                guard let isRefused = Bool(value) else {
                    throw .json(.invalidRequest, "refused is not true or false.")
                }
                self.isRefused = isRefused
            case "after":
                guard let number = Int(value), number >= 0 else {
                    throw .json(.invalidRequest, "after is not the number of a request.")
                }
                after = number
            default:
                throw .json(
                    .invalidRequest,
                    "The query has \(name.rawValue.logged). It may have client_id, endpoint, refused and after."
                )
            }
        }
    }
}
