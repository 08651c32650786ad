#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file of the developer's that is read whole.
enum ReadableFile {
    /// The content of a file.
    ///
    /// - Throws: ``Failure`` with the cause.
    static func bytes(of path: String, upTo limit: Int = 1_048_576) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Failure(code: errno) }
        guard information.st_mode & S_IFMT != S_IFDIR else { throw Failure(code: EISDIR) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while content.count <= limit {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(code: errno) }
            if count == 0 { return content }
            content += buffer.prefix(count)
        }
        throw Failure(cause: "it is larger than \(limit) bytes")
    }

    /// The reason a file cannot be read, for the end of a sentence.
    struct Failure: Error {
        var cause: String
    }
}

extension ReadableFile.Failure {
    /// A failure in the system's words.
    fileprivate init(code: Int32) { self.init(cause: String(cString: strerror(code))) }
}
