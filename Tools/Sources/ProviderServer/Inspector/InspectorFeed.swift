import HummingbirdCore
import NIOCore
import OstiaryJOSE
import OstiaryProvider
import ServiceLifecycle
import Synchronization

/// The exchanges of a provider as server-sent events (HTML Living Standard section 9.2), as they are recorded.
///
/// Each event has the exchanges that are new, at most 200, and the number of the oldest one that is kept.
final class InspectorFeed: Sendable {
    /// The largest number of exchanges in one event.
    static let batch = 200
    /// The largest number of streams at a time.
    static let maximumStreams = 16

    private let provider: Provider
    private let origin: String
    /// The mark of this process: numbers begin anew with another one.
    private let instance = String(UInt64.random(in: .min ... .max), radix: 36)
    private let streams = Mutex(0)

    init(of provider: Provider, origin: String) {
        self.provider = provider
        self.origin = origin
    }

    /// The body of a response to a request for the exchanges after a number; `nil` when there are too many streams.
    func body(after number: Int, for request: Request) -> ResponseBody? {
        let isFree = streams.withLock { count in
            guard count < Self.maximumStreams else { return false }
            count += 1
            return true
        }
        guard isFree else { return nil }
        let slot = Slot(self)
        return ResponseBody { writer in
            defer { slot.release() }
            try await self.write(after: number, for: request, to: &writer)
        }
    }

    @concurrent
    private func write(after number: Int, for request: Request, to writer: inout any ResponseBodyWriter) async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wake.yield()
        let news = Task { [recordings = provider.recordings()] in
            for await _ in recordings { wake.yield() }
        }
        defer { news.cancel() }
        // The reader leaves, or the server stops: the stream ends, and with it the response.
        try await request.body.consumeWithInboundCloseHandler { _ in
            try await withGracefulShutdownHandler {
                var known = number
                for await _ in wakes { try await self.send(after: &known, to: &writer) }
                try await writer.finish(nil)
            } onGracefulShutdown: {
                wake.finish()
            }
        } onInboundClosed: {
            wake.finish()
        }
    }

    @concurrent
    private func send(after known: inout Int, to writer: inout any ResponseBodyWriter) async throws {
        var isFirst = true
        while true {
            let found = provider.recordedExchanges(after: known, maximum: Self.batch)
            guard isFirst || !found.exchanges.isEmpty else { return }
            isFirst = false
            known = found.exchanges.last?.number ?? known
            try await writer.write(ByteBuffer(string: event(found, known)))
        }
    }

    private func event(_ found: RecordedExchanges, _ last: Int) -> String {
        let exchanges = found.exchanges.map { exchange -> JSONValue in
            var object = exchange.object
            object["curl"] = .string(CurlCommand(exchange, origin: origin).text)
            return .object(object)
        }
        let data: JSONObject = [
            "instance": .string(instance), "first": .integer(found.first), "exchanges": .array(exchanges),
        ]
        return "id: \(last)\ndata: \(String(decoding: data.encoded(), as: UTF8.self))\n\n"
    }

    /// One of the streams that may be open at a time, given back once: by the end of its response, or unused.
    private final class Slot: Sendable {
        private let feed: InspectorFeed
        private let isTaken = Mutex(true)

        init(_ feed: InspectorFeed) { self.feed = feed }

        func release() {
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = false }
                return isTaken
            }
            if wasTaken { feed.streams.withLock { $0 -= 1 } }
        }

        deinit { release() }
    }
}
