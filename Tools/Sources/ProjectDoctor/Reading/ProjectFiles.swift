#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files of a project that say something about its sign-in, as values.
package struct ProjectFiles: Sendable {
    package struct File: Sendable {
        /// Below the project's folder, with slashes.
        package let path: String
        package let bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// A file that was seen and not read.
    package struct Skipped: Sendable, Hashable {
        package enum Reason: Sendable, Hashable {
            case tooLarge, tooMany, tooDeep, link
            /// The system's error number.
            case unreadable(Int32)

            /// The reason in a sentence.
            package var sentence: String {
                switch self {
                case .tooLarge: "It is larger than any such file has reason to be."
                case .tooMany: "The project has more files than are read; give a folder nearer to the app."
                case .tooDeep: "The folders are nested too deeply."
                case .link: "It is a link; what it leads to is not read."
                case .unreadable(let code): "It cannot be read: \(String(cString: strerror(code)))."
                }
            }
        }

        package let path: String
        package let reason: Reason

        package init(path: String, reason: Reason) {
            self.path = path
            self.reason = reason
        }
    }

    package var files: [File]
    package var skipped: [Skipped]

    package init(files: [File], skipped: [Skipped] = []) {
        self.files = files
        self.skipped = skipped
    }

    func file(_ path: String) -> File? { files.first { $0.path.isSame(as: path) } }
}

extension String {
    /// A path without `.` and `..`, relative to the project's folder; `nil` when it leads out of it.
    var normalizedPath: String? {
        guard !hasPrefix("/") else { return nil }
        var parts: [Substring] = []
        for part in split(separator: "/") where part != "." {
            if part == ".." {
                guard parts.popLast() != nil else { return nil }
            } else {
                parts.append(part)
            }
        }
        return parts.joined(separator: "/")
    }

    /// The folder of a path; empty for the project's own.
    var folder: String { split(separator: "/").dropLast().joined(separator: "/") }
    /// The last part of a path.
    var fileName: String { split(separator: "/").last.map(String.init) ?? self }
    /// A path below a folder.
    func below(_ folder: String) -> String { folder.isEmpty ? self : folder + "/" + self }
}
