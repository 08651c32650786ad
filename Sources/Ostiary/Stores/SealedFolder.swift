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
    /// What a test lets fail.
    let fault: FileStep.Fault

    /// A writer's turn; it has to be ended.
    struct Turn: Sendable {
        fileprivate let descriptor: Int32
        /// Gives the turn back, as the end of the process does.
        func end() { close(descriptor) }
    }

    /// A file's content; `nil` when there is no such file.
    ///
    /// Of a larger file only as much is read as is allowed, which then does not open.
    ///
    /// - Throws: `corrupted` for a link and for anything but a plain file; `unavailable` when it cannot be read.
    func read(_ name: String, atMost maximum: Int) throws(StorageFailure) -> [UInt8]? {
        try fault(.read)
        guard let file = try PrivateFile.open("\(path)/\(name)", whenLink: .corrupted) else { return nil }
        guard file.isRegular else { throw .corrupted }
        return try file.bytes(atMost: maximum)
    }

    /// Replaces a file: the new one is written beside it, brought to the disk, and takes its name.
    ///
    /// - Parameter turn: Taken by the caller, who ends it.
    func replace(_ name: String, with bytes: [UInt8], in turn: Turn) throws(StorageFailure) {
        // What a crash left behind; whoever has the turn is the only one to write it.
        let new = "\(path)/\(name).new"
        unlink(new)
        do throws(StorageFailure) {
            try PrivateFile.create(new, holding: bytes, fault: fault)
            try fault(.rename)
            guard rename(new, "\(path)/\(name)") == 0 else { throw .unavailable }
        } catch {
            unlink(new)
            throw error
        }
        PrivateFile.synchronizeFolder(path)
    }

    /// Removes a file, if there is one.
    ///
    /// - Parameter turn: Taken by the caller, who ends it.
    func remove(_ name: String, in turn: Turn) throws(StorageFailure) {
        try fault(.remove)
        guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else { throw .unavailable }
        PrivateFile.synchronizeFolder(path)
    }

    /// Whether something stands under a name.
    func holds(_ name: String) throws(StorageFailure) -> Bool {
        var information = stat()
        if lstat("\(path)/\(name)", &information) == 0 { return true }
        guard errno == ENOENT else { throw .unavailable }
        return false
    }

    /// The names of the files that end in some way; empty when there is no folder yet.
    ///
    /// - Throws: `unavailable`, also when there are more than 10,000.
    func names(endingIn suffix: String) throws(StorageFailure) -> [String] {
        try fault(.list)
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            throw .unavailable
        }
        defer { closedir(folder) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(suffix) { names.append(name) }
            guard names.count <= 10_000 else { throw .unavailable }
            errno = 0
        }
        guard errno == 0 else { throw .unavailable }
        return names.sorted()
    }

    /// Makes the folder where there is none.
    func make() throws(StorageFailure) {
        try fault(.makeFolder)
        try PrivateFile.makeFolder(path)
    }

    /// Waits until no other process, and nobody else in this one, writes in the folder; no thread waits with it.
    ///
    /// - Throws: `locked` when patience ends: a process that was stopped in its turn must not stop all others.
    func takeTurn() async throws(StorageFailure) -> Turn {
        try fault(.takeTurn)
        let lock = open("\(path)/.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .unavailable }
        let end = ContinuousClock.now + patience
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let isTaken = errno == EWOULDBLOCK || errno == EINTR
            guard isTaken, ContinuousClock.now < end else {
                close(lock)
                throw isTaken ? .locked : .unavailable
            }
            await BlockingWork.pause(milliseconds: 2)
        }
        return Turn(descriptor: lock)
    }
}
