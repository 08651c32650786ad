import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A reader of the lines of a recording, one after the other.
struct RecordingReader {
    private let lines: [ArraySlice<UInt8>]
    /// The number of octets that may still be read from body files.
    private var bodyBytesLeft = Recording.Limits.maximumBytes

    init(_ bytes: [UInt8]) throws(RecordingError) {
        typealias Limits = Recording.Limits
        guard bytes.count <= Limits.maximumBytes else {
            throw RecordingError(line: 0, "it has \(bytes.count) bytes, \(Limits.maximumBytes) are allowed")
        }
        lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: Limits.maximumExchanges + 2)
        guard lines.count <= Limits.maximumExchanges + 1 else {
            throw RecordingError(line: 0, "it has more than \(Limits.maximumExchanges) exchanges")
        }
    }

    /// The first line.
    func head() throws(RecordingError) -> JSONObject {
        guard !lines.isEmpty else { throw RecordingError(line: 1, "it is empty") }
        let head = try object(at: 0)
        guard head["steps"]?.array != nil else { throw RecordingError(line: 1, "the head has no array steps") }
        return head
    }

    /// All lines but the first.
    mutating func exchanges(body: (String) throws -> [UInt8]) throws -> [Recording.Exchange] {
        var exchanges: [Recording.Exchange] = []
        for index in lines.indices.dropFirst() { exchanges.append(try exchange(at: index, body: body)) }
        return exchanges
    }

    private func object(at index: Int) throws(RecordingError) -> JSONObject {
        let limits = JSONLimits(maximumBytes: Recording.Limits.maximumLineBytes)
        guard let object = try? JSONObject(parsing: Array(lines[index]), limits: limits) else {
            throw RecordingError(
                line: index + 1,
                "it is not a JSON object of at most \(Recording.Limits.maximumLineBytes) bytes"
            )
        }
        return object
    }

    private mutating func exchange(
        at index: Int,
        body: (String) throws -> [UInt8]
    ) throws -> Recording.Exchange {
        let line = index + 1
        let object = try object(at: index)
        guard let method = object["method"]?.string.flatMap({ HTTPRequest.Method(rawValue: $0) }) else {
            throw RecordingError(line: line, "method is missing or no HTTP method")
        }
        guard let text = object["url"]?.string, URIParts(text)?.authority != nil, let url = URL(string: text) else {
            throw RecordingError(line: line, "url is missing or no absolute URL")
        }
        // Within a span in which a date can be calculated with.
        guard let time = object["time"]?.number, (0...100_000_000_000).contains(time) else {
            throw RecordingError(line: line, "time is missing or no number of Unix seconds")
        }
        let request = object["request"]?.object ?? [:]
        let response = object["response"]?.object
        guard response != nil || object["failure"] != nil else {
            throw RecordingError(line: line, "there is neither a response nor a failure")
        }
        return Recording.Exchange(
            number: object["n"]?.integer ?? index,
            step: object["step"]?.string,
            time: Date(timeIntervalSince1970: time),
            duration: Duration(boundedSeconds: object["took"]?.number ?? 0),
            method: method,
            url: url,
            request: Recording.Message(
                fields: fields(of: request),
                body: try octets(of: request, line: line, body: body)
            ),
            response: try response.map { try self.response($0, line: line, body: body) },
            isBrowser: object["browser"]?.bool ?? false,
            failure: response == nil ? object["failure"]?.string ?? "" : nil
        )
    }

    private mutating func response(
        _ object: JSONObject,
        line: Int,
        body: (String) throws -> [UInt8]
    ) throws -> EndpointResponse {
        guard let status = object["status"]?.integer, (100...599).contains(status) else {
            throw RecordingError(line: line, "the status of the response is missing or not 100 to 599")
        }
        return EndpointResponse(
            status: .init(code: status),
            fields: fields(of: object),
            body: try octets(of: object, line: line, body: body)
        )
    }

    private func fields(of message: JSONObject) -> HTTPFields {
        var fields = HTTPFields()
        for pair in message["headers"]?.array ?? [] {
            guard let texts = pair.array?.compactMap(\.string), texts.count == 2, let name = HTTPField.Name(texts[0])
            else { continue }
            fields.append(HTTPField(name: name, value: texts[1]))
        }
        return fields
    }

    private mutating func octets(
        of message: JSONObject,
        line: Int,
        body: (String) throws -> [UInt8]
    ) throws -> [UInt8] {
        if let text = message["body"]?.string { return Array(text.utf8) }
        if let text = message["body_base64"]?.string {
            guard let data = Data(base64Encoded: text) else {
                throw RecordingError(line: line, "body_base64 is not base64")
            }
            return Array(data)
        }
        guard let name = message["body_file"]?.string else { return [] }
        // A recording comes from outside: it names files of its own folder only.
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains(".."), !name.contains("\\"),
            !name.contains("\0")
        else { throw RecordingError(line: line, "body_file leads out of the folder of the recording") }
        let bytes = try body(name)
        bodyBytesLeft -= bytes.count
        guard bodyBytesLeft >= 0 else {
            throw RecordingError(line: line, "its bodies have more than \(Recording.Limits.maximumBytes) bytes")
        }
        return bytes
    }
}
