import Foundation
import OstiaryTesting

/// The file of a recording, which its owner alone can read.
struct RecordingFile: Sendable {
    let path: String

    /// Makes sure that the file can be written later.
    ///
    /// - Throws: ``UsageError``.
    init(path: String) throws(UsageError) {
        self.path = path
        unlink(try newFile(holding: []))
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
        let new = try newFile(holding: bytes)
        guard rename(new, path) == 0 else {
            let failure = failure
            unlink(new)
            throw failure
        }
    }

    /// Writes a file beside this one, under a name that no file had before.
    ///
    /// - Returns: Its path.
    private func newFile(holding bytes: [UInt8]) throws(UsageError) -> String {
        let new = "\(path).\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).new"
        do throws(UsageError) {
            try OutputFile(path: new, existing: .keep).write(bytes)
        } catch {
            let failure = failure
            unlink(new)
            throw failure
        }
        return new
    }

    private var failure: UsageError {
        UsageError("The recording \(path) cannot be written: \(SystemError.current).")
    }
}
