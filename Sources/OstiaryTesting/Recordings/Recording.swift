public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The HTTP exchanges between a client and a server, as `ostiary --record` and ``ExchangeRecorder`` write them.
///
/// A recording is a text of JSON Lines: a head, and one line for each exchange in order of arrival. ``Replay`` replays
/// it to a client.
///
///     let recording = try Recording(contentsOf: URL(filePath: "Recordings/sign-in.jsonl"))
public struct Recording: Sendable {
    /// The members of the first line, such as `server`, `version` and `scenario`.
    public let head: JSONObject
    /// The commands that were recorded, in order.
    public let steps: [Step]
    /// The exchanges in order of arrival.
    public let exchanges: [Exchange]

    /// Limits for reading a recording.
    public enum Limits {
        /// The largest file, and the largest sum of the bodies that it names: 16 MiB each.
        public static let maximumBytes = 16_777_216
        /// The longest line: 1 MiB.
        public static let maximumLineBytes = 1_048_576
        /// The most exchanges: 10,000.
        public static let maximumExchanges = 10_000
    }

    /// Reads a recording from a file; its `body_file` members are read relative to the file's folder.
    ///
    /// - Throws: ``RecordingError``, or the file system's error.
    public init(contentsOf url: URL) throws {
        try self.init(contentsOf: url, bodiesIn: url.deletingLastPathComponent())
    }

    /// Reads a recording from a file whose `body_file` members lie in another folder.
    ///
    /// - Throws: ``RecordingError``, or the file system's error.
    public init(contentsOf url: URL, bodiesIn folder: URL) throws {
        try self.init(parsing: try Self.bytes(of: url)) { name in
            try Self.bytes(of: folder.appending(path: name))
        }
    }

    /// Reads a recording.
    ///
    /// - Parameters:
    ///   - bytes: JSON Lines in UTF-8, within ``Limits``.
    ///   - body: Returns the body that a `body_file` member names. The name has no `..` and does not begin with `/`.
    /// - Throws: ``RecordingError`` with the number of the first unreadable line, or the error of `body`.
    public init(
        parsing bytes: [UInt8],
        body: (String) throws -> [UInt8] = Recording.noBody
    ) throws {
        var reader = try RecordingReader(bytes)
        head = try reader.head()
        steps = head["steps"]?.array?.compactMap(\.object).map(Step.init) ?? []
        exchanges = try reader.exchanges(body: body)
    }

    /// Rejects every `body_file`, for a recording without further files.
    ///
    /// - Throws: ``RecordingError``.
    public static func noBody(_ name: String) throws -> [UInt8] {
        throw RecordingError(line: 0, "the body_file \(name) is not there")
    }

    private static func bytes(of url: URL) throws -> [UInt8] {
        let data = try Data(contentsOf: url)
        guard data.count <= Limits.maximumBytes else {
            throw RecordingError(line: 0, "\(url.lastPathComponent) is larger than \(Limits.maximumBytes) bytes")
        }
        return Array(data)
    }
}

/// The error of an unreadable recording.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of the line, from 1; 0 for the whole file.
    public let line: Int
    /// The first fault in that line; it contains no recorded value.
    public let fault: String

    init(line: Int, _ fault: String) {
        self.line = line
        self.fault = fault
    }

    /// The line and the fault.
    public var description: String {
        line == 0
            ? "The recording cannot be read: \(fault)." : "Line \(line) of the recording cannot be read: \(fault)."
    }
}
