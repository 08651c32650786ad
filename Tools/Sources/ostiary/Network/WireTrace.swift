import ArgumentParser
import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryTesting
import Synchronization

/// The requests and responses of one command without secrets, which `--trace` requests.
///
/// The values that a trace leaves out are those of ``ExchangeRecorder/Redaction/secrets``.
struct WireTrace: Sendable {
    /// The forms of a trace, chosen by the file's name.
    enum Format: Sendable {
        /// Lines for a reader.
        case text
        /// One JSON object a line: a redacted recording.
        case jsonLines
        /// HTTP Archive 1.2, which browsers' developer tools open.
        case har

        init(ofFile name: String) {
            self = name.hasSuffix(".har") ? .har : name.hasSuffix(".jsonl") ? .jsonLines : .text
        }
    }

    private static let current = Mutex<WireTrace?>(nil)

    private let recorder = ExchangeRecorder(.secrets)
    /// The file; `nil` for standard error.
    private let file: OutputFile?
    private let format: Format

    /// Begins a trace.
    ///
    /// - Parameter destination: A file, or - for standard error.
    /// - Throws: ``UsageError`` before anything is sent, when the file cannot be written.
    static func begin(to destination: String) throws(UsageError) {
        let trace = WireTrace(
            file: destination == "-" ? nil : try OutputFile(path: destination),
            format: Format(ofFile: destination)
        )
        trace.recorder.begin(step: CommandArguments.current.first ?? "")
        current.withLock { $0 = trace }
    }

    private init(file: OutputFile?, format: Format) {
        self.file = file
        self.format = format
    }

    /// A transport that is traced, when a trace was begun.
    static func tracing(_ transport: any HTTPTransport) -> any HTTPTransport {
        current.withLock { $0 }?.recorder.transport(over: transport) ?? transport
    }

    /// Writes the trace, when one was begun.
    ///
    /// - Throws: ``UsageError`` when the file cannot be written.
    static func end(_ status: Int32, on console: Console) throws(UsageError) {
        guard let trace = current.withLock({ $0 }) else { return }
        trace.recorder.end(exit: Int(status))
        let bytes: [UInt8]
        do {
            bytes = try trace.content()
        } catch {
            throw UsageError("The trace cannot be written: \(error)")
        }
        guard let file = trace.file else {
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            {
                console.note(String(line).printable)
            }
            return
        }
        try file.write(bytes)
    }

    private func content() throws -> [UInt8] {
        guard format != .jsonLines else { return recorder.recording }
        let exchanges = try Recording(parsing: recorder.recording).exchanges
        if format == .har { return Self.archive(exchanges).encoded() + [UInt8(ascii: "\n")] }
        return Array(exchanges.map(Self.text).joined(separator: "\n").utf8)
    }

    /// The lines of one exchange, as curl's `--verbose` shows one.
    private static func text(_ exchange: Recording.Exchange) -> String {
        var lines = ["> \(exchange.method.rawValue) \(exchange.url.absoluteString)"]
        lines += exchange.request.fields.map { "> \($0.name.rawName): \($0.value)" }
        lines += body(exchange.request.body, marked: ">")
        if let response = exchange.response {
            lines.append("< \(response.status.code) (\(milliseconds(exchange)) ms)")
            lines += response.fields.map { "< \($0.name.rawName): \($0.value)" }
            lines += body(response.body, marked: "<")
        } else {
            lines.append("< no response: \(exchange.failure ?? "unknown")")
        }
        return lines.map { $0.printable + "\n" }.joined()
    }

    private static func body(_ bytes: [UInt8], marked mark: String) -> [String] {
        guard !bytes.isEmpty else { return [] }
        let text = String(validating: bytes, as: UTF8.self) ?? "\(bytes.count) bytes that are not text"
        return [mark] + text.split(separator: "\n").map { "\(mark) \($0)" }
    }

    private static func milliseconds(_ exchange: Recording.Exchange) -> Int {
        Int((exchange.duration / .milliseconds(1)).rounded())
    }

    /// The exchanges as an HTTP Archive.
    private static func archive(_ exchanges: [Recording.Exchange]) -> JSONObject {
        let creator: JSONObject = [
            "name": "ostiary", "version": .string(OstiaryCommand.configuration.version),
        ]
        let log: JSONObject = [
            "version": "1.2", "creator": .object(creator), "entries": .array(exchanges.map { .object(entry($0)) }),
        ]
        return ["log": .object(log)]
    }

    private static func entry(_ exchange: Recording.Exchange) -> JSONObject {
        let time = milliseconds(exchange)
        var request: JSONObject = [
            "method": .string(exchange.method.rawValue), "url": .string(exchange.url.absoluteString),
            "httpVersion": "HTTP/1.1", "cookies": [], "headers": fields(exchange.request.fields),
            "queryString": .array(
                (URLComponents(url: exchange.url, resolvingAgainstBaseURL: false)?.queryItems ?? []).map {
                    .object(["name": .string($0.name), "value": .string($0.value ?? "")])
                }
            ),
            "headersSize": -1, "bodySize": .integer(exchange.request.body.count),
        ]
        if !exchange.request.body.isEmpty {
            request["postData"] = .object([
                "mimeType": .string(exchange.request.fields[.contentType] ?? ""),
                "text": .string(String(decoding: exchange.request.body, as: UTF8.self)),
            ])
        }
        let body = exchange.response?.body ?? []
        let content: JSONObject = [
            "size": .integer(body.count), "mimeType": .string(exchange.response?.fields[.contentType] ?? ""),
            "text": .string(String(decoding: body, as: UTF8.self)),
        ]
        // The format has no other place for an exchange without a response than a status of 0.
        let response: JSONObject = [
            "status": .integer(exchange.response?.status.code ?? 0),
            "statusText": .string(exchange.response?.status.reasonPhrase ?? exchange.failure ?? ""),
            "httpVersion": "HTTP/1.1", "cookies": [], "headers": fields(exchange.response?.fields ?? [:]),
            "content": .object(content), "redirectURL": "", "headersSize": -1, "bodySize": .integer(body.count),
        ]
        return [
            "startedDateTime": .string(exchange.time.internetTime), "time": .integer(time),
            "request": .object(request), "response": .object(response), "cache": .object([:]),
            "timings": .object(["send": 0, "wait": .integer(time), "receive": 0]),
        ]
    }

    private static func fields(_ fields: HTTPFields) -> JSONValue {
        .array(fields.map { .object(["name": .string($0.name.rawName), "value": .string($0.value)]) })
    }
}
