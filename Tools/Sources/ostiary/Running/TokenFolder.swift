import Foundation
import OstiaryOAuth

/// A file with one token in a folder of its own, for systems that have no files without a name.
///
/// It is removed with the process's end. A process that is killed leaves it behind; the next one that makes such a
/// folder removes it, since the lock in it is free.
struct TokenFolder: Sendable {
    private let folder: String
    /// Locked as long as this process lives.
    private let owner: Int32

    /// Makes a folder for this user alone, in memory where the machine has such a file system.
    ///
    /// - Parameter place: The folder to make it in. Default: `$XDG_RUNTIME_DIR`, or else the temporary folder.
    /// - Throws: ``UsageError`` when the folder cannot be made.
    init(in place: String? = nil) throws(UsageError) {
        let runtime = Environment.value("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let place = place ?? runtime ?? NSTemporaryDirectory()
        Self.removeLeftovers(in: place)
        var template = Array("\(place)/\(Self.prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw UsageError("No folder can be made for the token in \(place.shortened): \(SystemError.current).")
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        owner = open(Self.lock(of: folder), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard owner >= 0, flock(owner, LOCK_EX | LOCK_NB) == 0 else {
            let reason = SystemError.current
            rmdir(folder)
            throw UsageError("The folder \(folder) cannot be locked: \(reason).")
        }
    }

    /// The path of the file.
    var path: String { folder + "/token" }

    /// Puts a token into it; a reader sees the old one or the new one.
    func write(_ token: Secret) throws(UsageError) {
        let new = folder + "/new"
        try OutputFile(path: new).write(token)
        guard rename(new, path) == 0 else {
            throw UsageError("The file \(path) cannot be written: \(SystemError.current).")
        }
    }

    /// Removes it with its folder.
    func remove() {
        Self.remove(folder)
        close(owner)
    }

    /// Removes the folders of killed processes: of this user, at most a hundred at once.
    private static func removeLeftovers(in place: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for name in names.filter({ $0.hasPrefix(prefix) }).prefix(100) {
            let folder = "\(place)/\(name)"
            var information = stat()
            guard lstat(folder, &information) == 0, information.st_uid == geteuid() else { continue }
            // One without a lock is being made.
            let lock = open(lock(of: folder), O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            guard lock >= 0 else { continue }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
            close(lock)
        }
    }

    private static func remove(_ folder: String) {
        // The lock last: whatever fails on the way, it can be found again.
        for name in ["token", "new", "owner"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private static func lock(of folder: String) -> String { folder + "/owner" }
    private static let prefix = "ostiary-token-"
}
