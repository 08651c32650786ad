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
    /// - Parameters:
    ///   - turn: Taken by the caller, who ends it.
    ///   - room: The new file, if there is one already.
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

    /// Makes a file of a size beside another one, whose place it will take.
    func reserve(_ name: String, bytes count: Int) throws(StorageFailure) -> ReservedFile {
        try fault(.create)
        return try ReservedFile("\(path)/\(name).reserved", bytes: count)
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

    /// The largest number of value files that are listed.
    static let maximumFiles = 10_000

    /// Whether a file of the folder is sealed with a key.
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
            // One that was removed meanwhile, or is no file, is no value.
            guard let file = try? PrivateFile.open("\(path)/\(name)"), file.isRegular,
                let start = try? file.bytes(atMost: SealedValue.markLength)
            else { continue }
            if SealedValue.isSealed(start) { return true }
        }
        return false
    }

    /// The name in a record of `readdir`, which ends with the name: the whole field may reach beyond it.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        guard let start = MemoryLayout<dirent>.offset(of: \.d_name) else { return "" }
        let length = Int(entry.pointee.d_reclen) - start
        let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(entry) + start, count: max(0, length))
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The names of the files that end in some way; empty when there is no folder yet.
    ///
    /// - Throws: `unavailable`, also when there are more than ``maximumFiles``.
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
