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
        guard let data = try? FileHandle(forReadingAtPath: path)?.read(upToCount: maximumBytes + 1),
            data.count <= maximumBytes, let text = String(validating: data, as: UTF8.self)
        else { throw UsageError("The \(noun) file \(path) cannot be read.") }
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
        guard stat(path, &status) == 0, status.st_mode & S_IROTH != 0 else { return }
        console.note("ostiary: warning: everybody on this machine can read \(path.printable): chmod 600 it.")
    }
}
