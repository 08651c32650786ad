import Foundation

/// A program that reads standard input and answers with lines; it gets the end of input when this is gone.
final class Conversation: Sendable {
    private let process: Process
    private let input: FileHandle
    private let output: FileHandle
    /// A queue on which waiting for the program keeps no other test waiting.
    private let queue = DispatchQueue(label: "conversation")

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        try process.run()
        try? input.fileHandleForReading.close()
        try? output.fileHandleForWriting.close()
    }

    deinit { try? input.close() }

    /// Says something, and waits until it is done.
    func ask(_ word: String) async throws {
        try input.write(contentsOf: Data("\(word)\n".utf8))
        try await expect("ready")
    }

    /// Waits for a line.
    func expect(_ line: String) async throws {
        let found = await onQueue { [output] in
            var line: [UInt8] = []
            while let byte = try? output.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
            return String(decoding: line, as: UTF8.self)
        }
        guard found == line else { throw ConversationBroken(expected: line, found: found) }
    }

    /// Says that this is the end, and waits for the program's.
    ///
    /// - Returns: The output, without the last line break.
    func finish() async throws -> String {
        try input.close()
        let data = await onQueue { [output, process] in
            let data = (try? output.readToEnd()) ?? nil
            process.waitUntilExit()
            return data ?? Data()
        }
        let text = String(decoding: data, as: UTF8.self)
        guard process.terminationStatus == 0 else { throw ConversationBroken(expected: "status 0", found: text) }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }
}

struct ConversationBroken: Error {
    let expected: String
    let found: String
}
