import OstiaryOAuth

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder whose files are replaced whole: a reader sees the old value or the new one.
///
/// Writers of all processes take turns with a lock file. Readers need no lock.
struct SealedFolder: Sendable {
    let path: String
    /// The time that a writer waits for its turn.
    let patience: Duration
    /// Called before each step, so that a test can let it fail.
    let fault: FileStep.Fault

    /// A writer's turn, which its holder has to end.
    struct Turn: Sendable {
        fileprivate let descriptor: Int32
        /// Ends the turn, as the end of the process does.
        func end() { close(descriptor) }
    }

    /// Returns a file's content; `nil` when there is no such file.
    ///
    /// A larger file is read up to the limit, and then does not open.
    ///
    /// - Throws: `corrupted` for a link and for anything but a regular file; `unavailable` when it cannot be read.
    func read(_ name: String, atMost maximum: Int) throws(StorageFailure) -> [UInt8]? {
        try fault(.read)
        guard let file = try PrivateFile.open("\(path)/\(name)", whenLink: .corrupted) else { return nil }
        guard file.isRegular else { throw .corrupted }
        return try file.bytes(atMost: maximum)
    }

    /// Replaces a file: writes the new one beside it, flushes it to the disk, and renames it.
    ///
    /// The caller ends its `turn`. `room` is the reserved new file, if there is one.
    func replace(
        _ name: String,
        with bytes: [UInt8],
        in turn: Turn,
        reserved room: ReservedFile? = nil
    ) throws(StorageFailure) {
        if let room, let descriptor = room.descriptor {
            try PrivateFile.write(bytes, over: descriptor, fault: fault)
            try fault(.rename)
            guard rename(room.path, "\(path)/\(name)") == 0 else { throw .unavailable }
            return PrivateFile.synchronizeFolder(path)
        }
        // A crash may have left it behind; only the holder of the turn writes it.
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

    /// Creates a file of a given size beside the file that it will replace.
    func reserve(_ name: String, bytes count: Int) throws(StorageFailure) -> ReservedFile {
        try fault(.create)
        return try ReservedFile("\(path)/\(name).reserved", bytes: count)
    }

    /// Removes a file, if it exists.
    ///
    /// The caller ends its `turn`.
    func remove(_ name: String, in turn: Turn) throws(StorageFailure) {
        try fault(.remove)
        guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else { throw .unavailable }
        PrivateFile.synchronizeFolder(path)
    }

    /// Whether an entry of this name exists.
    func holds(_ name: String) throws(StorageFailure) -> Bool {
        var information = stat()
        if lstat("\(path)/\(name)", &information) == 0 { return true }
        guard errno == ENOENT else { throw .unavailable }
        return false
    }

    /// The largest number of value files that are listed.
    static let maximumFiles = 10_000

    /// Whether a file in the folder is sealed with a key.
    func holdsSealedValue() throws(StorageFailure) -> Bool {
        try fault(.list)
        guard let folder = opendir(path) else {
            if errno == ENOENT || errno == ENOTDIR { return false }
            throw .unavailable
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = Self.name(of: entry)
            guard name.hasSuffix(SealedValue.fileSuffix) else { continue }
            // An entry that was removed meanwhile, or is not a file, counts as no value.
            guard let file = try? PrivateFile.open("\(path)/\(name)"), file.isRegular,
                let start = try? file.bytes(atMost: SealedValue.markLength)
            else { continue }
            if SealedValue.isSealed(start) { return true }
        }
        return false
    }

    /// The name in a record of `readdir`, which ends with the name; the declared field may reach beyond the record.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        guard let start = MemoryLayout<dirent>.offset(of: \.d_name) else { return "" }
        let length = Int(entry.pointee.d_reclen) - start
        let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(entry) + start, count: max(0, length))
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Lists the names with a suffix; empty when the folder does not exist yet.
    ///
    /// - Throws: `unavailable`, also for more than ``maximumFiles`` names.
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
            let name = Self.name(of: entry)
            if name.hasSuffix(suffix) { names.append(name) }
            guard names.count <= Self.maximumFiles else { throw .unavailable }
            errno = 0
        }
        guard errno == 0 else { throw .unavailable }
        return names.sorted()
    }

    /// Creates the folder, if it is missing.
    func make() throws(StorageFailure) {
        try fault(.makeFolder)
        try PrivateFile.makeFolder(path)
    }

    /// Waits until no other writer has the turn, in this process or another; blocks no thread meanwhile.
    ///
    /// - Throws: `locked` after ``patience``: a process that was suspended during its turn must not stop all others.
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
