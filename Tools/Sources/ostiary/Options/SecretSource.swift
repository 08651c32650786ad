import Foundation
import OstiaryOAuth

/// Secrets come from files and the environment, never from the arguments, which every process of the machine can read.
enum SecretSource {
    /// A file's content without the line feed at its end.
    case file(String)
    /// An environment variable's value.
    case environment(String)

    /// Reads the secret.
    ///
    /// - Throws: ``UsageError`` when there is none.
    func secret(console: Console) throws(UsageError) -> Secret {
        switch self {
        case .environment(let name):
            guard let value = Environment.value(name) else {
                throw UsageError("The environment variable \(name) is not set.")
            }
            return Secret(value)
        case .file(let path):
            // A pipe is as good as a file: nobody else can read it later.
            guard let data = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 65_537), data.count <= 65_536,
                let text = String(validating: data, as: UTF8.self)
            else { throw UsageError("The secret file \(path) cannot be read.") }
            let secret = String(text.prefix { !$0.isNewline })
            guard !secret.isEmpty, text.dropFirst(secret.count).allSatisfy(\.isNewline) else {
                throw UsageError("The secret file \(path) does not hold exactly one line.")
            }
            warnIfReadable(path, console: console)
            return Secret(secret)
        }
    }

    private func warnIfReadable(_ path: String, console: Console) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IROTH != 0 else { return }
        console.note("ostiary: warning: everybody on this machine can read \(path.printable): chmod 600 it.")
    }
}
