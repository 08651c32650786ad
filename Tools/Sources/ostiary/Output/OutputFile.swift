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

    private static func failure(_ path: String) -> UsageError {
        UsageError("The file \(path.shortened) cannot be written: \(SystemError.current).")
    }

    /// Opens it, and empties it if it is there.
    ///
    /// With `keep` a file that is there is refused.
    ///
    /// - Throws: ``UsageError`` with the system's reason when it cannot be written.
    init(path: String, existing: Existing = .replace) throws(UsageError) {
        let creating = existing == .keep ? O_EXCL : O_TRUNC
        let descriptor = open(path, O_WRONLY | O_CREAT | creating | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw Self.failure(path) }
        // One that was there before keeps its permissions otherwise.
        _ = fchmod(descriptor, S_IRUSR | S_IWUSR)
        self.path = path
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes the secret as one line.
    func write(_ secret: Secret) throws(UsageError) { try write(Array((secret.reveal() + "\n").utf8)) }

    /// Writes bytes.
    func write(_ bytes: [UInt8]) throws(UsageError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(handle.fileDescriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.failure(path) }
            rest = rest.dropFirst(written)
        }
    }
}
