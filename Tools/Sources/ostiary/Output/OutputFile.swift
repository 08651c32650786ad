import Foundation
import OstiaryOAuth

/// A file for a secret, which its owner alone can read.
struct OutputFile: Sendable {
    /// The treatment of a file that is there.
    enum Existing {
        case replace, keep
    }

    private let path: String
    private let handle: FileHandle

    /// Opens it, and empties it if it is there.
    ///
    /// - Parameter existing: `keep` refuses a file that is there.
    /// - Throws: ``UsageError`` with the system's reason when it cannot be written.
    init(path: String, existing: Existing = .replace) throws(UsageError) {
        let creating = existing == .keep ? O_EXCL : O_TRUNC
        let descriptor = open(path, O_WRONLY | O_CREAT | creating | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw UsageError("The file \(path.shortened) cannot be written: \(String(cString: strerror(errno))).")
        }
        // One that was there before keeps its permissions otherwise.
        _ = fchmod(descriptor, S_IRUSR | S_IWUSR)
        self.path = path
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes the secret as one line.
    func write(_ secret: Secret) throws(UsageError) { try write(Array((secret.reveal() + "\n").utf8)) }

    /// Writes bytes.
    func write(_ bytes: [UInt8]) throws(UsageError) {
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            throw UsageError("The file \(path.shortened) cannot be written: \(error.localizedDescription)")
        }
    }
}
