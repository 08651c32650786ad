import Crypto
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A lock for the processes of one device, on a file whose lock the system releases when its owner dies.
///
/// Each lock is a file of its own in one folder that all processes must share: on Apple's systems the container of an
/// app group. The file names its last owner and the time. It is never removed, since two processes could then lock two
/// files of one name.
public struct FileLock: ProcessLock {
    package let folder: String

    /// Uses a folder, which is made for this user only when a lock is first taken.
    public init(directory: URL) { folder = directory.path }

    /// Acquires the lock.
    ///
    /// Cancelling the task does not end the wait.
    ///
    /// - Throws: `locked` when another process, or another task of this one, holds it for longer than `patience`;
    ///   `unavailable` when the file cannot be made or opened.
    public func acquire(_ name: String, waiting patience: Duration) async throws(StorageFailure) -> ProcessLockHold {
        try PrivateFile.makeFolder(folder)
        let end = ContinuousClock.now + patience.boundedToYear
        while true {
            if let file = try LockFile.locked(path(of: name)) {
                file.write(ProcessLockHold.Owner(processID: getpid(), since: Date()))
                return ProcessLockHold { file.release() }
            }
            guard ContinuousClock.now < end else { throw .locked }
            await pause()
        }
    }

    /// Returns the current owner of the lock.
    public func owner(of name: String) throws(StorageFailure) -> ProcessLockHold.Owner? {
        try LockFile.owner(path(of: name))
    }

    /// Waits for a random time, so that waiting processes do not retry at the same moment.
    ///
    /// It has a task of its own: in a cancelled task a sleep ends at once, and the wait would end or become a busy
    /// loop.
    private func pause() async {
        await Task { try? await Task.sleep(for: .milliseconds(Int.random(in: 1...15))) }.value
    }

    private func path(of name: String) -> String {
        let digits = Array("0123456789abcdef")
        let hash = SHA256.hash(data: Array(name.utf8))
        return folder + "/" + String(hash.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] })
            + ".lock"
    }
}

extension FileLock {
    /// Uses the container that an app shares with its extensions, wherever that lies.
    package init(sharedContainer container: URL) {
        self.init(directory: container.appendingPathComponent("Library/Ostiary", isDirectory: true))
    }
}
