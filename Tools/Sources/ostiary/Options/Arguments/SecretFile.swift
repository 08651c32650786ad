import Foundation

/// A file that holds something secret: a password, a token, a private key.
enum SecretFile {
    /// Reads a whole file as text; warns when other users of the machine can read it.
    ///
    /// - Parameters:
    ///   - noun: The kind of the file, for the error, such as `secret`.
    ///   - console: The console for the warning; `nil` where the file was used before.
    /// - Throws: ``UsageError`` when there is no such file, or when it is longer than 65,536 bytes or not UTF-8.
    static func text(of path: String, _ noun: String, console: Console?) throws(UsageError) -> String {
        // A pipe is accepted like a file: no other program can read it later.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw UsageError("The \(noun) file \(path.shortened) cannot be read: \(reason).")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // At the end of an empty file the handle returns `nil`.
        let data = (try? handle.read(upToCount: maximumBytes + 1)) ?? Data()
        guard !data.isEmpty else { throw UsageError("The \(noun) file \(path.shortened) is empty.") }
        guard data.count <= maximumBytes else {
            throw UsageError("The \(noun) file \(path.shortened) is larger than \(maximumBytes) bytes.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw UsageError("The \(noun) file \(path.shortened) is not text in UTF-8.")
        }
        if let console { warnIfReadable(path, console) }
        return text
    }

    /// Reads a file that holds one line.
    ///
    /// - Throws: As ``text(of:_:console:)``, and when there are more lines or none.
    static func line(of path: String, _ noun: String, console: Console?) throws(UsageError) -> String {
        let text = try text(of: path, noun, console: console)
        let line = String(text.prefix { !$0.isNewline })
        guard !line.isEmpty, text.dropFirst(line.count).allSatisfy(\.isNewline) else {
            throw UsageError("The \(noun) file \(path) does not hold exactly one line.")
        }
        return line
    }

    private static let maximumBytes = 65_536

    private static func warnIfReadable(_ path: String, _ console: Console) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & (S_IRGRP | S_IROTH) != 0 else { return }
        let line = LoginLine.shell(["chmod", "600", path])
        console.note("ostiary: warning: other users of this machine can read \(path.printable). Run: \(line.printable)")
    }
}
