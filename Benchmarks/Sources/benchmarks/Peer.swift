import Foundation
import OstiaryJOSE

/// Another language's library, measured by a program of its own.
struct Peer: Sendable {
    private let command: [String]

    /// Those that `scripts/peers.sh` has found or installed; the folder stands in `OSTIARY_PEERS`.
    static func verifying(_ token: String, by key: SigningKey) -> [Peer] {
        guard let folder = ProcessInfo.processInfo.environment["OSTIARY_PEERS"] else { return [] }
        let programs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Peers").path
        let (python, node) = ("\(folder)/bin/python", "\(folder)/bin/node")
        let arguments = [
            key.algorithm.rawValue, token, String(decoding: key.publicKey.jsonObject.encoded(), as: UTF8.self),
        ]
        return [
            [node, "\(programs)/peers.mjs"], [python, "\(programs)/peers.py", "pyjwt"],
            [python, "\(programs)/peers.py", "joserfc"],
        ].filter { FileManager.default.isExecutableFile(atPath: $0[0]) }.map { Peer(command: $0 + arguments) }
    }

    /// Runs the program once: its name, with its version, and the processor time of one operation in nanoseconds.
    func measured() throws -> (name: String, nanoseconds: Double) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let parts = text.split(whereSeparator: { $0 == "\t" || $0 == "\n" })
        guard process.terminationStatus == 0, parts.count == 2, let time = Double(parts[1]) else {
            throw Failure(command: command[0], output: text)
        }
        return (String(parts[0]), time)
    }

    private struct Failure: Error {
        let command: String
        let output: String
    }
}
