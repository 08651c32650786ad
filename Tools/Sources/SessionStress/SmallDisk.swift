import Foundation

/// A disk of some kilobytes, made of memory, that is filled, or closed to writers, while processes write to it.
///
/// Nothing is simulated: writes fail as on a full disk, also in the middle of a file, and the superuser
/// cannot write to a disk that is read-only either.
struct SmallDisk: Sendable {
    /// The reason there is no such disk.
    struct Unavailable: Error {
        let reason: String
    }

    let folder: String
    private var filler: String { folder + "/filler" }

    /// Mounts it in place of an empty folder.
    ///
    /// - Throws: ``Unavailable`` where this user cannot mount anything.
    init(at folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let size = "size=\(Self.kilobytes)k,mode=700"
        guard let complaint = try Self.run(["mount", "-t", "tmpfs", "-o", size, "session-stress", folder]) else {
            return
        }
        throw Unavailable(reason: complaint)
    }

    /// Enough for what is stored and its successor, and little enough to be filled at once.
    private static let kilobytes = 256

    /// Leaves no room for another byte.
    func fill() {
        guard let file = fopen(filler, "w") else { return }
        defer { fclose(file) }
        // No buffer: a write that does not fit fails at once, and the last kilobyte is filled byte by byte.
        setvbuf(file, nil, Int32(_IONBF), 0)
        for size in [4096, 1] {
            let zeros = [UInt8](repeating: 0, count: size)
            while fwrite(zeros, size, 1, file) == 1 {}
        }
    }

    /// Makes room again.
    func empty() { unlink(filler) }

    /// Closes the disk to writers at once, even to those with an open file; `nil` where the system cannot.
    func freeze() throws -> Bool { try Self.run(["chattr", "+i", folder]) == nil }

    func thaw() throws { _ = try Self.run(["chattr", "-i", folder]) }

    /// Makes the disk read-only as soon as no process has a file open for writing: no lock can then be taken.
    ///
    /// - Returns: Whether it succeeded.
    func makeReadOnly() async throws -> Bool {
        for _ in 0..<40 {
            if try Self.run(["mount", "-o", "remount,ro", folder]) == nil { return true }
            try await Task.sleep(for: .milliseconds(2))
        }
        return false
    }

    func makeWritable() throws { _ = try Self.run(["mount", "-o", "remount,rw", folder]) }

    /// Takes it away.
    func unmount() { _ = try? Self.run(["umount", "-l", folder]) }

    /// Runs a command of the system.
    ///
    /// - Returns: The error output; `nil` on success.
    private static func run(_ command: [String]) throws -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let complaint = Pipe()
        process.standardError = complaint
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let words = complaint.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus != 0 else { return nil }
        return String(decoding: words, as: UTF8.self).split(separator: "\n").first.map(String.init)
            ?? "\(command[0]) ended with \(process.terminationStatus)"
    }
}
