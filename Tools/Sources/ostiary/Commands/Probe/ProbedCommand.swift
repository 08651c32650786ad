import ClientProbe
import Foundation
import Subprocess
import Synchronization

/// One run of a client's command, with a browser.
struct ProbedCommand {
    private let command: [String]
    private let variables: [String: String]
    private let browser: ProbeBrowser

    init(_ command: [String], _ variables: [String: String], _ browser: ProbeBrowser) {
        self.command = command
        self.variables = variables
        self.browser = browser
    }

    /// Runs it to its end, or to the limit.
    ///
    /// - Returns: The end, and the last part of its output.
    /// - Throws: ``UsageError`` when it cannot be started.
    func run(limit: Duration) async throws -> (ProbeEnd, String) {
        // A program is found by its name; `env` takes a path as well.
        let isPath = command[0].contains("/")
        guard !isPath || access(command[0], X_OK) == 0 else {
            throw UsageError("The command \(command[0].shortened) cannot be run: \(SystemError.current).")
        }
        let opener = try BrowserPipe()
        defer { opener.remove() }
        var all = variables
        all["BROWSER"] = opener.program
        var environment: [Subprocess.Environment.Key: String?] = [:]
        for (name, value) in all { environment[.init(stringLiteral: name)] = value }
        // A group of its own: what the command has started ends with it.
        var options = PlatformOptions()
        options.processGroupID = 0
        let isLate = Flag()
        let browser = browser
        do {
            let result = try await Subprocess.run(
                .name(isPath ? "env" : command[0]),
                arguments: Arguments(isPath ? command : Array(command.dropFirst())),
                environment: .inherit.updating(environment),
                platformOptions: options,
                input: .none,
                output: .sequence,
                error: .sequence
            ) { execution in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let visits = Visits(browser: browser)
                    group.addTask {
                        for await url in opener.urls { await visits.open(url) }
                    }
                    group.addTask {
                        try await Task.sleep(for: limit)
                        isLate.set()
                        try? execution.send(signal: .kill, toProcessGroup: true)
                    }
                    async let output = Self.text(of: execution.standardOutput, visits)
                    async let error = Self.text(of: execution.standardError, visits)
                    let text = try await output + error
                    opener.end()
                    group.cancelAll()
                    return text
                }
            }
            let text = result.closureResult
            if isLate.isSet { return (.timedOut, text) }
            switch result.terminationStatus {
            case .exited(let status): return (.exited(Int32(status)), text)
            case .signaled(let signal): return (.signaled(Int32(signal)), text)
            }
        } catch let error as SubprocessError {
            let reason = error.underlyingError.map { "\($0)" } ?? "there is no such program"
            throw UsageError("The command \(command[0].shortened) cannot be run: \(reason).")
        }
    }

    /// Reads an output to its end, and opens each URL of the provider in it.
    private static func text(of sequence: SubprocessOutputSequence, _ visits: Visits) async throws -> String {
        var text: [UInt8] = []
        var line: [UInt8] = []
        for try await buffer in sequence {
            for byte in buffer.withUnsafeBytes({ Array($0) }) {
                guard byte == UInt8(ascii: "\n") else {
                    if line.count < 16_384 { line.append(byte) }
                    continue
                }
                await visits.openURLs(in: String(decoding: line, as: UTF8.self))
                text += line + [byte]
                text.removeFirst(max(0, text.count - 65_536))
                line = []
            }
        }
        return String(decoding: text + line, as: UTF8.self)
    }
}

/// The visits of a run: the client may print a URL that it also opens.
private actor Visits {
    private let browser: ProbeBrowser
    private var opened: Set<URL> = []

    init(browser: ProbeBrowser) { self.browser = browser }

    func openURLs(in line: String) {
        for word in line.split(whereSeparator: \.isWhitespace) {
            let text = word.drop { "<(\"'".contains($0) }
            guard let url = URL(string: String(text.prefix { !">)\"'".contains($0) })), url.query() != nil else {
                continue
            }
            open(url)
        }
    }

    func open(_ url: URL) {
        guard browser.isOfProvider(url), opened.insert(url).inserted else { return }
        // The client has to go on reading its redirect meanwhile.
        let browser = browser
        Task { await browser.open(url) }
    }
}

/// A program to set as `BROWSER`, and the URLs that it is given.
private struct BrowserPipe: Sendable {
    /// The path of the program.
    let program: String
    let urls: AsyncStream<URL>
    private let folder: URL
    private let pipe: Int32

    /// - Throws: ``UsageError`` when the folder for temporary files cannot be written.
    init() throws(UsageError) {
        folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-probe-\(UUID().uuidString)")
        let fifo = folder.appending(path: "urls").path
        program = folder.appending(path: "browser").path
        let script = "#!/bin/sh\nprintf '%s\\n' \"$1\" >'\(fifo)'\n"
        guard mkdir(folder.path, 0o700) == 0 else {
            throw UsageError("The folder \(folder.path) cannot be made: \(SystemError.current).")
        }
        try OutputFile(path: program).write(Array(script.utf8))
        guard chmod(program, 0o700) == 0, mkfifo(fifo, 0o600) == 0 else {
            throw UsageError("The pipe \(fifo) cannot be made: \(SystemError.current).")
        }
        // Opened for both directions, it never ends while nothing writes.
        let descriptor = open(fifo, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw UsageError("The pipe \(fifo) cannot be opened: \(SystemError.current).") }
        pipe = descriptor
        let (stream, continuation) = AsyncStream<URL>.makeStream()
        urls = stream
        Thread.detachNewThread {
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while true {
                let length = read(descriptor, &byte, 1)
                if length < 0, errno == EINTR { continue }
                // An empty line is this program's own: the end.
                guard length == 1, byte != UInt8(ascii: "\n") || !line.isEmpty else { break }
                guard byte == UInt8(ascii: "\n") else {
                    if line.count < 16_384 { line.append(byte) }
                    continue
                }
                if let url = URL(string: String(decoding: line, as: UTF8.self)) { continuation.yield(url) }
                line = []
            }
            continuation.finish()
            close(descriptor)
        }
    }

    /// Ends the stream of URLs.
    func end() {
        let line = [UInt8(ascii: "\n"), UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
    }

    /// Removes the files.
    func remove() { try? FileManager.default.removeItem(at: folder) }
}

/// A Boolean that is set once.
private final class Flag: Sendable {
    private let race = Atomic(false)
    var isSet: Bool { race.load(ordering: .sequentiallyConsistent) }
    func set() { race.store(true, ordering: .sequentiallyConsistent) }
}
