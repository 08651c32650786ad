#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
