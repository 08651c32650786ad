import Foundation
import OstiaryTesting

/// The file of a recording, which its owner alone can read.
struct RecordingFile: Sendable {
    let path: String
    private var newPath: String { path + ".new" }

    /// Makes sure that the file can be written later.
    ///
    /// - Throws: ``UsageError``.
    init(path: String) throws(UsageError) {
        self.path = path
        try write([], to: newPath)
        unlink(newPath)
    }

    /// The content of the file; `nil` for no file, or an empty one.
    func contents() throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        // One byte above the limit: the reader rejects it.
        let data = try handle.read(upToCount: Recording.Limits.maximumBytes + 1) ?? Data()
        return data.isEmpty ? nil : Array(data)
    }

    /// Replaces the file as a whole.
    ///
    /// - Throws: ``UsageError``, and the file is as it was.
    func write(_ bytes: [UInt8]) throws(UsageError) {
        try write(bytes, to: newPath)
        guard rename(newPath, path) == 0 else { throw failure }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(UsageError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw failure }
        // A file that was there keeps its permissions otherwise.
        _ = fchmod(descriptor, S_IRUSR | S_IWUSR)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do { try handle.write(contentsOf: Data(bytes)) } catch { throw failure }
    }

    private var failure: UsageError {
        UsageError("The recording \(path) cannot be written: name a file in a folder of yours.")
    }
}
