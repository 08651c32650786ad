import Foundation

/// A file that holds something secret: a password, a token, a private key.
enum SecretFile {
    /// Reads a whole file as text; warns when other users of the machine can read it.
    ///
    /// `noun` is the kind of the file, for the error, such as `secret`. `console` is for the warning; `nil` where the
    /// file was used before.
    ///
    /// - Throws: ``UsageError`` when there is no such file, or when it is longer than 65,536 bytes or not UTF-8.
    static func text(of path: String, _ noun: String, console: Console?) throws(UsageError) -> String {
        let data = try InputFile.bytes(of: path, noun, limit: maximumBytes)
        guard !data.isEmpty else {
            throw UsageError("The \(noun) file \(path.shortened) is empty: write the \(noun) into it.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw UsageError("The \(noun) file \(path.shortened) is not text in UTF-8.")
        }
        if let console { warnIfReadable(path, console) }
        return text
    }

    /// Reads a whole file; warns when other users of the machine can read it.
    ///
    /// - Throws: As ``InputFile/bytes(of:_:limit:)``.
    static func bytes(of path: String, _ noun: String, _ limit: Int, console: Console) throws(UsageError) -> [UInt8] {
        let bytes = try InputFile.bytes(of: path, noun, limit: limit)
        warnIfReadable(path, console)
        return bytes
    }

    /// Reads a file that holds one line.
    ///
    /// - Throws: As ``text(of:_:console:)``, and when there are more lines or none.
    static func line(of path: String, _ noun: String, console: Console?) throws(UsageError) -> String {
        let lines = try text(of: path, noun, console: console).split(whereSeparator: \.isNewline)
        guard let line = lines.first, lines.count == 1, !line.allSatisfy(\.isWhitespace) else {
            let found = lines.count > 1 ? "\(lines.count) lines" : "only spaces and line feeds"
            let place = "The \(noun) file \(path.shortened)"
            throw UsageError("\(place) holds \(found): write the \(noun) into it as one line.")
        }
        return String(line)
    }

    private static let maximumBytes = 65_536

    private static func warnIfReadable(_ path: String, _ console: Console) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & (S_IRGRP | S_IROTH) != 0 else { return }
        let line = LoginLine.shell(["chmod", "600", path])
        console.note("ostiary: warning: other users of this machine can read \(path.printable). Run: \(line.printable)")
    }
}
