import OstiaryOAuth

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder whose files are replaced whole: whoever reads sees the old value or the new one.
///
/// Writers of all processes take turns by a lock file. Readers need none.
struct SealedFolder: Sendable {
    let path: String
    /// How long a writer waits for its turn.
    let patience: Duration

    /// A file's content; `nil` when there is no such file.
    ///
    /// Of a larger file only as much is read as is allowed, which then does not open.
    ///
    /// - Throws: `corrupted` for a link and for anything but a plain file; `unavailable` when it cannot be read.
    func read(_ name: String, atMost maximum: Int) throws(StorageFailure) -> [UInt8]? {
        guard let file = try PrivateFile.open("\(path)/\(name)", whenLink: .corrupted) else { return nil }
        guard file.isRegular else { throw .corrupted }
        return try file.bytes(atMost: maximum)
    }

    /// Replaces a file: the new one is written beside it, brought to the disk, and takes its name.
    func replace(_ name: String, with bytes: [UInt8]) throws(StorageFailure) {
        try PrivateFile.makeFolder(path)
        try takingTurns { () throws(StorageFailure) in
            // What a crash left behind; whoever has the turn is the only one to write it.
            let new = "\(path)/\(name).new"
            unlink(new)
            do throws(StorageFailure) {
                try PrivateFile.create(new, holding: bytes)
                guard rename(new, "\(path)/\(name)") == 0 else { throw .unavailable }
            } catch {
                unlink(new)
                throw error
            }
            PrivateFile.synchronizeFolder(path)
        }
    }

    /// Removes a file, if there is one.
    func remove(_ name: String) throws(StorageFailure) {
        var information = stat()
        guard lstat("\(path)/\(name)", &information) == 0 else {
            if errno == ENOENT { return }
            throw .unavailable
        }
        try takingTurns { () throws(StorageFailure) in
            guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else { throw .unavailable }
            PrivateFile.synchronizeFolder(path)
        }
    }

    /// Does something when no other process, and nobody else in this one, writes in the folder.
    ///
    /// - Throws: `locked` when patience ends: a process that was stopped in its turn must not stop all others.
    private func takingTurns(_ body: () throws(StorageFailure) -> Void) throws(StorageFailure) {
        let lock = open("\(path)/.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .unavailable }
        // Closing gives the turn back.
        defer { close(lock) }
        let end = ContinuousClock.now + patience
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .unavailable }
            guard ContinuousClock.now < end else { throw .locked }
            usleep(1_000)
        }
        try body()
    }
}
