import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryTesting
import Synchronization

/// The recording of one command, which `--record` or `--record-redacted` requests before or after any other argument.
struct CommandRecording: Sendable {
    private static let current = Mutex<CommandRecording?>(nil)

    private let recorder: ExchangeRecorder
    private let file: RecordingFile
    private let arguments: [String]
    private let answer = Answered()

    private final class Answered: Sendable {
        let object = Mutex<JSONObject?>(nil)
    }

    /// Begins the recording that arguments request, and returns the other arguments.
    ///
    /// A file that is there must be a recording: the command becomes its next step.
    ///
    /// - Throws: ``UsageError`` before anything is sent, for a file that cannot be written.
    static func begin(_ arguments: [String]) throws(UsageError) -> [String] {
        let own = arguments.prefix { $0 != "--" }
        guard let place = own.firstIndex(where: { names.keys.contains(String($0.prefix { $0 != "=" })) }) else {
            return arguments
        }
        let parts = arguments[place].split(separator: "=", maxSplits: 1).map(String.init)
        var rest = arguments
        rest.remove(at: place)
        var path = parts.count == 2 ? parts[1] : ""
        if parts.count == 1, place < rest.count, place + 1 < own.count, !rest[place].hasPrefix("-") {
            path = rest.remove(at: place)
        }
        guard !path.isEmpty else { throw UsageError("\(parts[0]) needs a file: \(parts[0]) recording.jsonl") }
        guard
            !rest.prefix(while: { $0 != "--" }).contains(where: { names.keys.contains(String($0.prefix { $0 != "=" })) }
            )
        else { throw UsageError("Give --record or --record-redacted once.") }
        let recording = try CommandRecording(
            to: RecordingFile(path: path),
            redaction: names[parts[0]] ?? .secrets,
            arguments: rest
        )
        current.withLock { $0 = recording }
        return rest
    }

    private static let names: [String: ExchangeRecorder.Redaction] = ["--record": .none, "--record-redacted": .secrets]

    private init(
        to file: RecordingFile,
        redaction: ExchangeRecorder.Redaction,
        arguments: [String]
    ) throws(UsageError) {
        self.file = file
        self.arguments = Self.withoutPlaces(arguments, redaction)
        let verb = arguments.first ?? ""
        do {
            if let recording = try file.contents() {
                recorder = try ExchangeRecorder(redaction, continuing: recording)
                let steps = try Recording(parsing: recording).steps.count
                recorder.begin(step: "\(steps + 1) \(verb)")
                return
            }
        } catch {
            throw UsageError("The file \(file.path) exists and is not a recording: name another file.")
        }
        recorder = ExchangeRecorder(redaction)
        recorder.begin(step: "1 \(verb)")
    }

    /// The arguments without the places of files, and without names of users where they are redacted.
    private static func withoutPlaces(_ arguments: [String], _ redaction: ExchangeRecorder.Redaction) -> [String] {
        var word: String?
        // The command of exec is not about the exchange, and can hold anything.
        let isCut = redaction == .secrets && arguments.contains("--")
        let own = isCut ? Array(arguments.prefix { $0 != "--" }) : arguments
        return own.map { argument in
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard argument.hasPrefix("--") else {
                defer { word = nil }
                return word ?? argument
            }
            word =
                switch parts[0] {
                case "--store": "STORE"
                case "--client-key", "--metadata": "FILE"
                case let name where name.hasSuffix("-file"): "FILE"
                case "--http-user", "--login-hint", "--identifier", "--header": redaction == .secrets ? "redacted" : nil
                default: nil
                }
            guard parts.count == 2, let replacement = word else { return argument }
            word = nil
            return parts[0] + "=" + replacement
        }
    }

    /// A transport that records, when a recording was begun.
    static func recording(_ transport: any HTTPTransport) -> any HTTPTransport {
        current.withLock { $0 }?.recorder.transport(over: transport) ?? transport
    }

    /// A user agent that records, when a recording was begun.
    static func recording(_ userAgent: any UserAgent) -> any UserAgent {
        current.withLock { $0 }?.recorder.userAgent(over: userAgent) ?? userAgent
    }

    /// Notes the JSON object that the command prints or would print.
    static func note(_ answer: JSONObject) { current.withLock { $0 }?.answer.object.withLock { $0 = answer } }

    /// Writes the recording, when one was begun.
    ///
    /// - Throws: ``UsageError`` when the file cannot be written.
    static func end(_ status: Int32) throws(UsageError) {
        guard let recording = current.withLock({ $0 }) else { return }
        recording.recorder.end(
            arguments: recording.arguments,
            exit: Int(status),
            answer: recording.answer.object.withLock { $0 }
        )
        try recording.file.write(recording.recorder.recording)
    }
}
