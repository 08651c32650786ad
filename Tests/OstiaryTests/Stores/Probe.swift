import Foundation
import Testing

/// Runs the probe, or a line of shell that uses it, in a process of its own.
struct Probe {
    struct Outcome: Sendable {
        let output: String
        let status: Int32
        /// Whether a signal ended it.
        let isKilled: Bool
    }

    /// The product lies beside the test bundle; empty where it was not built.
    static let path = places.lazy.compactMap(product(above:)).first ?? ""

    /// On Linux the bundle is the program; on a Mac a program of the tool's loads it, which may name it.
    private static var places: [String] {
        let arguments = CommandLine.arguments
        let named = zip(arguments, arguments.dropFirst()).first { $0.0 == "--test-bundle-path" }?.1
        var places: [String] = [arguments[0]]
        if let named { places.append(named) }
        #if !os(Linux)
            places += Bundle.allBundles.map(\.bundlePath).filter { $0.hasSuffix(".xctest") }
        #endif
        return places
    }

    private static func product(above place: String) -> String? {
        var folder = URL(fileURLWithPath: place).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.appendingPathComponent("StoreProbe").path
            if FileManager.default.isExecutableFile(atPath: file) { return file }
        }
        return nil
    }

    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Outcome {
        try await run(path, arguments, environment)
    }

    /// Runs shell, where `$PROBE` is the probe.
    static func shell(_ script: String, environment: [String: String] = [:]) async throws -> Outcome {
        try await run("/bin/sh", ["-c", script], environment)
    }

    private static func run(
        _ executable: String,
        _ arguments: [String],
        _ environment: [String: String]
    ) async throws -> Outcome {
        try #require(!path.isEmpty, "swift build makes the probe beside the tests")
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                // The pools' threads block every signal, and what they start would, too: it could not be ended.
                var every = sigset_t()
                sigfillset(&every)
                pthread_sigmask(SIG_UNBLOCK, &every, nil)
                continuation.resume(with: Result { try start(executable, arguments, environment) })
            }
        }
    }

    #if os(macOS) || os(Linux)
        /// The command that starts a program that may run for half a minute; a Mac has no `timeout`.
        #if os(Linux)
            private static let limited = ["/usr/bin/timeout", "-k", "1", "30"]
        #else
            private static let limited = ["/usr/bin/perl", "-e", "alarm shift; exec @ARGV or die", "30"]
        #endif

        private static func start(
            _ executable: String,
            _ arguments: [String],
            _ environment: [String: String]
        ) throws -> Outcome {
            // A file and not a pipe: a daemon that stays behind would keep its end open.
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("probe-\(UUID().uuidString)")
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
            defer { try? FileManager.default.removeItem(at: file) }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: limited[0])
            process.arguments = limited.dropFirst() + [executable] + arguments
            var variables = ["PATH": "/usr/bin:/bin", "PROBE": path, "LC_ALL": "C"]
            for (name, value) in environment { variables[name] = value }
            process.environment = variables
            process.standardOutput = try FileHandle(forWritingTo: file)
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return Outcome(
                output: String(decoding: try Data(contentsOf: file), as: UTF8.self)
                    .trimmingCharacters(in: .whitespacesAndNewlines),
                status: process.terminationStatus,
                isKilled: process.terminationReason == .uncaughtSignal || process.terminationStatus == 137
            )
        }
    #else
        private static func start(_: String, _: [String], _: [String: String]) throws -> Outcome {
            throw CocoaError(.featureUnsupported)
        }
    #endif
}
