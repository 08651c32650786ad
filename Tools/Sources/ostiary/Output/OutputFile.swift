import Foundation
import OstiaryOAuth

/// A file for a secret, which its owner alone can read.
struct OutputFile {
    private let path: String
    private let handle: FileHandle

    /// Opens it, and empties it if it is there.
    ///
    /// - Throws: ``UsageError`` when it cannot be written.
    init(path: String) throws(UsageError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw UsageError("The file \(path) cannot be written.") }
        // One that was there before keeps its permissions otherwise.
        _ = fchmod(descriptor, S_IRUSR | S_IWUSR)
        self.path = path
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes the secret as one line.
    func write(_ secret: Secret) throws(UsageError) {
        do {
            try handle.write(contentsOf: Data((secret.reveal() + "\n").utf8))
        } catch {
            throw UsageError("The file \(path) cannot be written.")
        }
    }
}
