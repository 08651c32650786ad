import OstiaryOAuth

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An open file, inspected through its descriptor.
///
/// An attacker could replace the file between an inspection of its path and its opening.
struct PrivateFile: ~Copyable {
    private let descriptor: Int32
    private let information: stat

    deinit { close(descriptor) }

    private init(descriptor: Int32, information: stat) {
        self.descriptor = descriptor
        self.information = information
    }

    /// Opens a file for reading, without following a symbolic link; `nil` when there is none.
    static func open(_ path: String, whenLink: StorageFailure = .unavailable) throws(StorageFailure) -> PrivateFile? {
        // Non-blocking: opening a named pipe would wait for its writer.
        let descriptor = systemOpen(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP, EMLINK: throw whenLink
            default: throw .unavailable
            }
        }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            close(descriptor)
            throw .unavailable
        }
        return PrivateFile(descriptor: descriptor, information: information)
    }

    var isRegular: Bool { information.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) }
    var isOwnedByThisUser: Bool { information.st_uid == geteuid() }
    var isClosedToOthers: Bool { information.st_mode & 0o077 == 0 }
    var size: Int { Int(information.st_size) }

    /// Reads to the end of the file, or up to a limit.
    borrowing func bytes(atMost maximum: Int) throws(StorageFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(size + 1, maximum))
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unavailable }
            if count == 0 { break }
            length += count
        }
        return Array(bytes[..<length])
    }

    /// Creates a file that does not exist yet, for this user only, and flushes it to the disk.
    ///
    /// A failure leaves a part of the file.
    ///
    /// `fault` is called before each step.
    static func create(
        _ path: String,
        holding bytes: [UInt8],
        fault: FileStep.Fault = { (_) throws(StorageFailure) in }
    ) throws(StorageFailure) {
        try fault(.create)
        let descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unavailable }
        var isClosed = false
        defer { if !isClosed { close(descriptor) } }
        try fault(.write)
        guard write(bytes, to: descriptor) else { throw .unavailable }
        try fault(.synchronize)
        guard synchronize(descriptor) else { throw .unavailable }
        isClosed = true
        guard close(descriptor) == 0 else { throw .unavailable }
    }

    /// Replaces the content of an open file, and flushes it to the disk.
    ///
    /// `fault` is called before each step.
    static func write(_ bytes: [UInt8], over descriptor: Int32, fault: FileStep.Fault) throws(StorageFailure) {
        try fault(.write)
        guard lseek(descriptor, 0, SEEK_SET) == 0, write(bytes, to: descriptor),
            ftruncate(descriptor, off_t(bytes.count)) == 0
        else { throw .unavailable }
        try fault(.synchronize)
        guard synchronize(descriptor) else { throw .unavailable }
    }

    /// Returns a path without symbolic links, as far as it exists.
    static func canonical(_ path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        var missing: [Substring] = []
        while true {
            let head = (path.hasPrefix("/") ? "/" : "./") + parts.joined(separator: "/")
            if let real = realpath(head, nil) {
                defer { free(real) }
                let start = String(cString: real)
                return missing.isEmpty
                    ? start : ([start == "/" ? "" : start] + missing.map(String.init)).joined(separator: "/")
            }
            guard let last = parts.popLast() else { return path }
            missing.insert(last, at: 0)
        }
    }

    /// Creates a whole file, and its folder, unless it exists: no process sees a part of it, and the first writer wins.
    static func make(_ path: String, holding bytes: [UInt8]) throws(StorageFailure) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try makeFolder(folder.isEmpty ? "/" : folder)
        let new = "\(path).\(UInt64.random(in: 0...UInt64.max)).new"
        defer { unlink(new) }
        try create(new, holding: bytes)
        // Unlike a rename, a link does not replace a file that another process has created meanwhile.
        guard link(new, path) == 0 || errno == EEXIST else { throw .unavailable }
        synchronizeFolder(folder)
    }

    /// Creates a folder and its parents, for this user only, unless they exist.
    static func makeFolder(_ path: String) throws(StorageFailure) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw .unavailable }
            try makeFolder(String(path[..<slash]))
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .unavailable }
        default: throw .unavailable
        }
    }

    /// Flushes a folder's entries to the disk, if the file system can; the files themselves are already there.
    static func synchronizeFolder(_ path: String) {
        let descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        _ = synchronize(descriptor)
        close(descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func synchronize(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // There, fsync hands the bytes to the drive, and this makes the drive keep them. Not every file system can.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }
}

// The system's functions, under names that the methods above do not hide.
private let systemWrite: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int = write
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

/// Identifies the file at a path and its state; a replaced or changed file has another identity.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    /// Seconds and nanoseconds: a file system may give a deleted file's number to the next file.
    private let modified: [Int]
    private let changed: [Int]

    /// The identity of the file at a path; `nil` when there is none, or it cannot be inspected.
    init?(_ path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: information.st_dev)
        number = UInt64(truncatingIfNeeded: information.st_ino)
        size = Int64(information.st_size)
        #if canImport(Darwin)
            modified = [information.st_mtimespec.tv_sec, information.st_mtimespec.tv_nsec]
            changed = [information.st_ctimespec.tv_sec, information.st_ctimespec.tv_nsec]
        #else
            modified = [information.st_mtim.tv_sec, information.st_mtim.tv_nsec]
            changed = [information.st_ctim.tv_sec, information.st_ctim.tv_nsec]
        #endif
    }
}
