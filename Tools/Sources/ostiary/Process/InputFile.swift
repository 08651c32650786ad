import Foundation

/// A file that an argument names.
enum InputFile {
    /// Reads a whole file.
    ///
    /// A pipe is accepted like a file: no other program can read it later.
    ///
    /// `noun` is the kind of the file, for the error, such as `secret`. `limit` is the largest size in bytes.
    ///
    /// - Throws: ``UsageError`` with the system's reason when the file cannot be read, and when it is larger.
    static func bytes(of path: String, _ noun: String, limit: Int) throws(UsageError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, noun) }
        defer { close(descriptor) }
        return try bytes(from: descriptor, path, noun, limit: limit)
    }

    /// Reads standard input to its end.
    ///
    /// - Throws: As ``bytes(of:_:limit:)``.
    static func bytesOfStandardInput(limit: Int) throws(UsageError) -> [UInt8] {
        try bytes(from: STDIN_FILENO, "-", "input", limit: limit)
    }

    private static func bytes(
        from descriptor: Int32,
        _ path: String,
        _ noun: String,
        limit: Int
    ) throws(UsageError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let length = read(descriptor, &buffer, buffer.count)
            if length < 0, errno == EINTR { continue }
            guard length >= 0 else { throw unreadable(path, noun) }
            if length == 0 { return bytes }
            bytes += buffer.prefix(length)
        }
        throw UsageError("The \(noun) file \(path.shortened) is larger than \(limit) bytes.")
    }

    private static func unreadable(_ path: String, _ noun: String) -> UsageError {
        UsageError("The \(noun) file \(path.shortened) cannot be read: \(SystemError.current).")
    }
}

/// The system's words for the error of the last call of its functions.
enum SystemError {
    /// Such as "No such file or directory"; read before any other call.
    static var current: String { String(cString: strerror(errno)) }
}
