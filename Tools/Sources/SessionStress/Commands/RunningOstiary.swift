import Foundation

/// One run of the command line.
struct RunningOstiary {
    private let process = Process()
    private let error: String

    /// Starts a command; standard output is dropped, since some print a token there.
    ///
    /// `error` is the file that standard error is written to.
    init(_ command: [String], environment: [String: String], error: String) throws {
        self.error = error
        _ = FileManager.default.createFile(atPath: error, contents: nil)
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: error)
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Its standard error, in one line; no error contains a secret.
    var errorText: String {
        let text = (try? String(contentsOfFile: error, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.isEmpty ? "nothing on standard error" : lines.joined(separator: " ")
    }

    /// Waits for its end.
    ///
    /// - Returns: Its status; -1 when a signal ended it, -2 when it had to be killed since it took too long.
    func end(within seconds: Double = 240) async throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while process.isRunning {
            guard ContinuousClock.now < deadline else {
                send(SIGKILL)
                return -2
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }
}
