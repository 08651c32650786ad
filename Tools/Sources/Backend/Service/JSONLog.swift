import Foundation
public import Logging
import OstiaryJOSE

/// Writes each entry as one line of JSON to standard error, for whatever collects logs.
struct JSONLog: LogHandler {
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

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
        let all = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
        for (name, value) in all.sorted(by: { $0.key < $1.key }) { entry[name] = .string(value.description) }
        // One write, so that the lines of several threads do not mix.
        FileHandle.standardError.write(Data(entry.encoded() + [UInt8(ascii: "\n")]))
    }
}

extension Logger {
    /// A logger that writes lines of JSON to standard error.
    ///
    /// - Parameters:
    ///   - label: What writes.
    ///   - level: What is left out below it.
    public static func json(label: String, level: Logger.Level) -> Logger {
        Logger(label: label) { JSONLog(label: $0, logLevel: level) }
    }
}
