import Foundation
import Logging
import OstiaryJOSE
import OstiaryProvider

/// The log of a provider on standard error: a line for each request, refusal and admission.
struct ProviderLog: LogHandler {
    let console: Console
    let form: LogForm
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    init(console: Console, form: LogForm) {
        self.console = console
        self.form = form
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let pairs = metadata.merging(event.metadata ?? [:]) { $1 }
            .sorted { $0.key < $1.key }
            .map { (name: $0.key, value: JSONValue($0.value)) }
        write(event.message.description, pairs)
    }

    /// Writes a report of the provider.
    func report(_ event: ProviderEvent) {
        write(event.outcome.rawValue, event.object.members.map { (name: $0.name, value: $0.value) })
    }

    private func write(_ message: String, _ pairs: [(name: String, value: JSONValue)]) {
        let time = Date.now.formatted(.iso8601)
        switch form {
        case .text:
            let members = pairs.map { name, value in
                let value = value.integer.map(String.init) ?? value.string ?? ""
                return value.contains { $0 == " " || $0 == "\"" } ? "\(name)=\"\(value)\"" : "\(name)=\(value)"
            }
            console.note(([time, message] + members).joined(separator: " ").printable)
        case .json:
            var object: JSONObject = ["time": .string(time), "event": .string(message)]
            for (name, value) in pairs { object[name] = value.string.map { .string($0.printable) } ?? value }
            console.note(String(decoding: object.encoded(), as: UTF8.self))
        }
    }
}

extension JSONValue {
    /// A number where the log's metadata has one, and else its text.
    fileprivate init(_ metadata: Logger.MetadataValue) {
        self =
            if case .stringConvertible(let number as Int) = metadata { .integer(number) } else {
                .string("\(metadata)")
            }
    }
}
