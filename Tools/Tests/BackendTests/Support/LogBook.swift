import Logging
import OstiaryCompatibility
import OstiaryHummingbird

/// Keeps what is logged, with the number of the request that it was logged for.
final class LogBook: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
        let request: String?
    }

    private let kept = Lock<[Line]>([])

    var lines: [Line] { kept.withLock { $0 } }
    /// The lines about refused requests with this reason.
    func refusals(_ reason: String) -> [Line] {
        lines.filter { $0.message == "request refused" && $0.metadata["reason"] == reason }
    }
    /// Everything that was logged, in one text.
    var text: String { lines.map { "\($0.level) \($0.message) \($0.metadata)" }.joined(separator: "\n") }

    var logger: Logger { Logger(label: "test") { _ in Handler(book: self) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            let line = Line(
                level: event.level,
                message: event.message.description,
                metadata: all,
                request: all["request_id"] ?? RequestNumber.current
            )
            book.kept.withLock { $0.append(line) }
        }
    }
}
