import Foundation
public import Logging
import OstiaryHummingbird
import OstiaryJOSE

/// Writes every log entry as one line of JSON to standard error.
///
/// Entries about a request contain its number as `request_id`, including those of libraries.
struct JSONLog: LogHandler {
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var writer = LogWriter.standardError

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var entry: JSONObject = [
            "time": .string(Date.now.formatted(.iso8601.time(includingFractionalSeconds: true))),
            "level": .string(event.level.rawValue), "label": .string(label),
            "message": .string(event.message.description),
        ]
        var all = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
        all["hb.request.id"] = nil
        if let id = RequestNumber.current { all["request_id"] = .string(id) }
        for (name, value) in all.sorted(by: { $0.key < $1.key }) { entry[name] = .string(value.description) }
        writer.write(entry.encoded() + [UInt8(ascii: "\n")])
    }
}

extension Logger {
    /// Makes a logger that writes lines of JSON to standard error on its own thread.
    ///
    /// - Parameters:
    ///   - label: The logger's label.
    ///   - level: The lowest level that is written.
    /// - Returns: The logger.
    public static func json(label: String, level: Logger.Level) -> Logger {
        Logger(label: label) { JSONLog(label: $0, logLevel: level) }
    }

    /// Waits up to one second for the lines of ``json(label:level:)`` to be written; call it before the process ends.
    public static func flushJSON() { LogWriter.standardError.flush(within: 1) }
}
