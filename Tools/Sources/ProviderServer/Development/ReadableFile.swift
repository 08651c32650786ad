import Foundation

/// A file of the developer's that is read whole.
enum ReadableFile {
    /// The content of a file.
    ///
    /// - Throws: ``Failure`` with the cause.
    static func bytes(of path: String, upTo limit: Int = 1_048_576) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(cause: String(cString: strerror(errno))) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT != S_IFDIR else {
            throw Failure(cause: String(cString: strerror(EISDIR)))
        }
        let data: Data
        // At the end of an empty file the handle returns `nil`.
        do { data = try handle.read(upToCount: limit + 1) ?? Data() } catch {
            throw Failure(cause: String(cString: strerror(EIO)))
        }
        guard data.count <= limit else { throw Failure(cause: "It is larger than \(limit) bytes") }
        return Array(data)
    }

    /// The reason a file cannot be read, in the system's words.
    struct Failure: Error {
        var cause: String
    }
}
