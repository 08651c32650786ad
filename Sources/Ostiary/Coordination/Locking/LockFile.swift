import OstiaryCompatibility
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that is locked while it is open here.
final class LockFile: Sendable {
    private let descriptor: Lock<Int32?>

    private init(_ descriptor: Int32) { self.descriptor = Lock(descriptor) }

    deinit { release() }

    /// Opens and locks a file; `nil` when another owner has it.
    static func locked(_ path: String) throws(StorageFailure) -> LockFile? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unavailable }
        // Of the open file, not of the process: two in one process also exclude each other.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(descriptor)
            guard reason == EWOULDBLOCK || reason == EINTR else { throw .unavailable }
            return nil
        }
        // If the file was removed since, this lock would be on a file that no other process finds.
        guard isSame(descriptor, path) else {
            close(descriptor)
            return nil
        }
        return LockFile(descriptor)
    }

    /// Returns the current owner of a locked file.
    static func owner(_ path: String) throws(StorageFailure) -> ProcessLockHold.Owner? {
        guard let file = try PrivateFile.open(path, whenLink: .corrupted) else { return nil }
        let text = String(decoding: try file.bytes(atMost: 200), as: UTF8.self).split(separator: " ")
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unavailable }
        defer { close(descriptor) }
        // The entry of a dead process is still there, and is ignored.
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
        guard text.count >= 2, let process = Int32(text[0]), let since = Double(text[1]) else { return nil }
        return ProcessLockHold.Owner(processID: process, since: Date(timeIntervalSince1970: since))
    }

    /// Writes the owner into the file; a failure, as on a full disk, is harmless.
    func write(_ owner: ProcessLockHold.Owner) {
        let line = Array("\(owner.processID) \(owner.since.timeIntervalSince1970) ".utf8)
        descriptor.withLock { descriptor in
            guard let descriptor else { return }
            guard pwrite(descriptor, line, line.count, 0) == line.count else { return }
            ftruncate(descriptor, off_t(line.count))
        }
    }

    /// Gives the lock back.
    func release() {
        descriptor.withLock { descriptor in
            if let descriptor { close(descriptor) }
            descriptor = nil
        }
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var opened = stat()
        var named = stat()
        guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0 else { return false }
        return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }
}

extension Duration {
    /// The time, bounded to 0 to one year: clocks cannot wait for every time that a `Duration` can hold.
    var boundedToYear: Duration { min(max(self, .zero), .seconds(31_536_000)) }
}
