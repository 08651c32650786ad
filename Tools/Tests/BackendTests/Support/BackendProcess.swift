import Foundation

/// `ostiary-backend serve` as a process of its own.
final class BackendProcess: Sendable {
    private let process: Process
    private let folder: TemporaryFile
    private let saidLater: AsyncStream<String>
    private let says: AsyncStream<String>.Continuation
    let port: Int

    /// Starts it, and waits until it listens.
    ///
    /// - Parameters:
    ///   - more: Members of the configuration besides those that are needed.
    ///   - text: The whole configuration in place of those.
    ///   - program: Another version of the program. Default: this one.
    ///   - environment: Variables besides the sealing key.
    /// - Throws: `NotListening` where the program ends before it listens, and the error of a file or of the process.
    init(
        _ more: String = "",
        text: String? = nil,
        program: URL? = nil,
        environment: [String: String] = [:]
    ) async throws {
        folder = try TemporaryFile("backend.json")
        (saidLater, says) = AsyncStream.makeStream()
        try Data((text ?? ServiceFixture.text(more)).utf8).write(to: URL(filePath: folder.path))
        let process = Process()
        process.executableURL = try program ?? Self.program
        process.arguments = ["serve", "--config", folder.path]
        process.environment = Self.environment(environment)
        let log = Pipe()
        process.standardError = log
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
        try? log.fileHandleForWriting.close()
        var text = ""
        while !text.contains("\"port\""), let chunk = try log.fileHandleForReading.read(upToCount: 1), !chunk.isEmpty {
            text += String(decoding: chunk, as: UTF8.self)
            if text.hasSuffix("\n"), !text.contains("\"port\"") { text = "" }
        }
        while !text.hasSuffix("\n"), let chunk = try log.fileHandleForReading.read(upToCount: 1), !chunk.isEmpty {
            text += String(decoding: chunk, as: UTF8.self)
        }
        let entry = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
        guard let port = (entry?["port"]).flatMap(Int.init) else { throw NotListening(text: text) }
        self.port = port
        // What it says later is for who waits for it; the pipe must not fill.
        let says = says
        log.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                says.finish()
            } else {
                says.yield(String(decoding: data, as: UTF8.self))
            }
        }
    }

    /// Runs a command of the program to its end.
    ///
    /// - Returns: Its status.
    static func run(
        _ command: String,
        text: String,
        environment: [String: String],
        program: URL? = nil
    ) async throws -> Int32 {
        let file = try TemporaryFile("backend.json")
        try Data(text.utf8).write(to: URL(filePath: file.path))
        let process = Process()
        process.executableURL = try program ?? Self.program
        process.arguments = [command, "--config", file.path]
        process.environment = Self.environment(environment)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "process").async {
                process.waitUntilExit()
                // The file has to be there until then.
                withExtendedLifetime(file) { continuation.resume(returning: process.terminationStatus) }
            }
        }
    }

    private static func environment(_ more: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment.merging(["KEY": BackendConfigurationTests.key]) { $1 }
            .merging(more) { $1 }
    }

    /// Replaces its configuration by a text that cannot be read.
    func spoilConfiguration() { try? Data("{".utf8).write(to: URL(filePath: folder.path)) }

    /// Sends SIGHUP.
    func hangUp() { kill(process.processIdentifier, SIGHUP) }

    /// Waits until its log holds a text; `false` when it ended before.
    func waits(for text: String) async -> Bool {
        var all = ""
        for await part in saidLater {
            all += part
            if all.contains(text) { return true }
        }
        return false
    }

    deinit { if process.isRunning { process.interrupt() } }

    /// Asks it to end, as its operator does.
    func terminate() { process.terminate() }

    /// Waits until it has ended by itself.
    ///
    /// - Returns: Its status; `nil` when a signal ended it.
    func status() async -> Int32? {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "process").async { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationReason == .exit ? process.terminationStatus : nil)
            }
        }
    }

    private struct NotListening: Error {
        let text: String
    }

    /// The product lies in the folder of the test bundle, or above it.
    private static var program: URL {
        get throws {
            var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                let file = folder.appending(path: "ostiary-backend")
                if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            }
            throw NotListening(text: "There is no ostiary-backend: build the tools.")
        }
    }
}
