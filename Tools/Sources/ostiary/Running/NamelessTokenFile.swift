#if os(Linux)
    import Foundation
    import OstiaryOAuth

    /// A file with one token that has no name in any folder: it disappears with this process, however that ends.
    ///
    /// Other programs of the same user open it through `/proc` while this one runs. Each token has a file of its own.
    /// The next one replaces it under the same descriptor, so that a reader finds the old one or the new one.
    struct NamelessTokenFile: Sendable {
        private let descriptor: Int32

        /// Makes an empty file; `nil` where no file can be made, or where `/proc` is missing.
        init?() {
            guard let descriptor = Self.make() else { return nil }
            self.descriptor = descriptor
            guard access(path, R_OK) == 0 else {
                close(descriptor)
                return nil
            }
        }

        /// The path of the file while this process runs.
        var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

        /// Puts a token into it.
        func write(_ token: Secret) throws(UsageError) {
            let line = Array((token.reveal() + "\n").utf8)
            guard let new = Self.make() else {
                throw UsageError("No file can be made for the token: \(SystemError.current).")
            }
            defer { close(new) }
            // Nothing is started by this process meanwhile that could inherit the descriptor.
            guard Foundation.write(new, line, line.count) == line.count, dup2(new, descriptor) == descriptor,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
            else { throw UsageError("The file \(path) cannot be written: \(SystemError.current).") }
        }

        /// Takes it away before the process ends.
        func remove() { close(descriptor) }

        /// Makes a file for this user alone, in memory where the machine has a place there, and takes its name away
        /// before anything is in it.
        private static func make() -> Int32? {
            let runtime = Environment.value("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
            for folder in [runtime, "/dev/shm", NSTemporaryDirectory()].compactMap(\.self) {
                let name = "\(folder)/ostiary-\(UInt64.random(in: 0...UInt64.max))"
                let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
                guard file >= 0 else { continue }
                if unlink(name) == 0 { return file }
                close(file)
            }
            return nil
        }
    }
#endif
