import Foundation

/// A small text file that its owner alone can read, always found whole.
struct PrivateText: Sendable {
    /// The treatment of a file that is there.
    enum Existing {
        case replace, ifMissing
    }

    let path: String

    init(_ path: String) { self.path = path }

    /// Makes a folder, and those above it, for the owner alone.
    static func makeFolder(_ path: String) throws(ProviderServerError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .certificate(path, reason: "the folder cannot be made")
        }
    }

    /// The content; `nil` where there is no file.
    func read() throws(ProviderServerError) -> String? {
        var information = stat()
        if lstat(path, &information) != 0, errno == ENOENT { return nil }
        do throws(ReadableFile.Failure) {
            return String(decoding: try ReadableFile.bytes(of: path), as: UTF8.self)
        } catch {
            throw .certificate(path, reason: error.cause)
        }
    }

    /// Writes a text to a file beside it, which then takes the place of the file.
    func write(_ existing: Existing = .replace, _ text: () throws -> String) throws(ProviderServerError) {
        let bytes: [UInt8]
        do { bytes = Array(try text().utf8) } catch {
            throw .certificate(path, reason: "a certificate for it cannot be made")
        }
        let new = "\(path).\(UUID().uuidString)"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw failure }
        defer { unlink(new) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do { try file.write(contentsOf: bytes) } catch {
            throw .certificate(path, reason: "it cannot be written")
        }
        switch existing {
        case .replace: guard rename(new, path) == 0 else { throw failure }
        case .ifMissing: guard link(new, path) == 0 || errno == EEXIST else { throw failure }
        }
    }

    /// The failure of the last call, in the system's words.
    private var failure: ProviderServerError { .certificate(path, reason: String(cString: strerror(errno))) }
}
