import Foundation
import Subprocess
import Testing

/// The built executable, run as a user or a script runs it.
struct CommandLineTool {
    /// Variables on top of an environment that has nothing of the machine's.
    var environment: [String: String] = [:]
    /// The values that may not be printed.
    var secrets = KnownSecrets()

    /// The output and status of a run.
    struct Transcript: Sendable {
        let output: String
        let error: String
        /// `nil` when a signal ended it.
        let status: Int32?
    }

    /// The user's reaction to a line on the terminal.
    enum Reaction: Sendable {
        case none
        /// Types a line and ends the input.
        case type(String)
        /// Presses Ctrl-C.
        case interrupt
        /// Sends SIGUSR1.
        case userSignal
    }

    /// A signal that a test sends.
    enum Sent: String, Sendable, CaseIterable {
        case interrupt, terminate, hangUp

        fileprivate var signal: Signal {
            switch self {
            case .interrupt: .interrupt
            case .terminate: .terminate
            case .hangUp: .terminalClosed
            }
        }
    }

    /// The actions while the program runs; the argument sends the program a signal.
    typealias Meanwhile = @Sendable (_ send: @Sendable (Sent) throws -> Void) async throws -> Void

    struct TookTooLong: Error {}

    /// Runs it to its end; one that takes longer than the limit is killed.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the program's name.
    ///   - printing: Whether the command's purpose is to print a secret on standard output.
    ///   - limit: The time that it may take. Default: a minute.
    ///   - reaction: Told each line of both outputs; standard input stays open until it types.
    ///   - meanwhile: The actions while the program runs.
    ///   - sourceLocation: The place of the test's call.
    /// - Returns: The output and status of the run.
    /// - Throws: ``TookTooLong`` after the limit, the error of a process that cannot start, and those of the closures.
    func run(
        _ arguments: [String],
        printing: SecretOutput = .never,
        limit: Duration = .seconds(60),
        reaction: (@Sendable (String) async throws -> Reaction)? = nil,
        meanwhile: Meanwhile? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Transcript {
        let transcript = try await withThrowingTaskGroup(of: Transcript.self) { group in
            group.addTask { try await start(arguments, meanwhile: meanwhile, reaction: reaction) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw TookTooLong()
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw TookTooLong() }
            return first
        }
        if printing == .never {
            #expect(secrets.found(in: transcript.output).isEmpty, sourceLocation: sourceLocation)
        }
        #expect(secrets.found(in: transcript.error).isEmpty, sourceLocation: sourceLocation)
        try await follow(transcript.error, sourceLocation)
        return transcript
    }

    /// Holds each piece of advice to the parser, and runs what asks nothing of the network.
    private func follow(_ text: String, _ sourceLocation: SourceLocation) async throws {
        for words in Advice.commands(in: text) {
            let problem = Advice.problem(of: words)
            #expect(problem == nil, "ostiary \(words.joined(separator: " "))", sourceLocation: sourceLocation)
            guard problem == nil, Advice.isHarmless(words) else { continue }
            let followed = try await start(words, reaction: nil)
            #expect(followed.status == 0, "ostiary \(words.joined(separator: " "))", sourceLocation: sourceLocation)
        }
        for name in Advice.mentions(in: text) {
            #expect(Advice.problem(of: [name, "--help"]) == nil, "ostiary \(name)", sourceLocation: sourceLocation)
        }
    }

    /// Whether standard output may hold a secret.
    enum SecretOutput {
        case never
        case onPurpose
    }

    /// Runs a line of shell.
    func runInShell(_ line: String, shell: String = "sh", meanwhile: Meanwhile? = nil) async throws -> Transcript {
        try await start(["-c", line], executable: shell, meanwhile: meanwhile, reaction: nil)
    }

    /// Runs a line of shell at a terminal, whose output and standard error are one.
    func runInTerminal(
        _ line: String,
        reaction: @escaping @Sendable (String) async throws -> Reaction
    ) async throws -> Transcript {
        try await start(["-qec", line, "/dev/null"], executable: "script", reaction: reaction)
    }

    private func start(
        _ arguments: [String],
        executable: String = "ostiary",
        meanwhile: Meanwhile? = nil,
        reaction: (@Sendable (String) async throws -> Reaction)?
    ) async throws -> Transcript {
        // Tests may have been started to ignore it, as a script's background work is, and the program would ignore it.
        signal(SIGINT, SIG_DFL)
        var variables: [Environment.Key: String] = [
            "PATH": "\(try Self.folder.path):/usr/bin:/bin", "HOME": "/dev/null", "TERM": "dumb",
        ]
        for (name, value) in environment { variables[Environment.Key(stringLiteral: name)] = value }
        let result = try await Subprocess.run(
            .name(executable),
            arguments: Arguments(arguments),
            environment: .custom(variables),
            input: .inputWriter,
            output: .sequence,
            error: .sequence
        ) { execution in
            if reaction == nil { try? await execution.standardInputWriter.finish() }
            let react: @Sendable (String) async throws -> Void = { line in
                switch try await reaction?(line) ?? .none {
                case .none: break
                case .type(let answer):
                    _ = try? await execution.standardInputWriter.write(answer + "\n")
                    try? await execution.standardInputWriter.finish()
                case .interrupt: try execution.send(signal: .interrupt)
                case .userSignal: try execution.send(signal: .userDefinedOne)
                }
            }
            async let output = text(of: execution.standardOutput, react)
            async let error = text(of: execution.standardError, react)
            async let rest: Void? = meanwhile?({ try execution.send(signal: $0.signal) })
            _ = try await rest
            return (try await output, try await error)
        }
        let (output, error) = result.closureResult
        return Transcript(output: output, error: error, status: result.terminationStatus.code)
    }

    private func text(
        of sequence: SubprocessOutputSequence,
        _ react: @Sendable (String) async throws -> Void
    ) async throws -> String {
        var text: [UInt8] = []
        var line: [UInt8] = []
        for try await buffer in sequence {
            let bytes = buffer.withUnsafeBytes { Array($0) }
            text += bytes
            for byte in bytes {
                if byte == UInt8(ascii: "\n") {
                    try await react(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The product lies in the folder of the test bundle, or above it.
    static var folder: URL {
        get throws {
            var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                let file = folder.appending(path: "ostiary").path
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue {
                    return folder
                }
            }
            throw NoExecutable()
        }
    }

    private struct NoExecutable: Error {}
}

extension TerminationStatus {
    fileprivate var code: Int32? {
        if case .exited(let code) = self { code } else { nil }
    }
}
