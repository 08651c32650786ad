#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Which file stands under a name, and in which state: a replaced file has another one.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    /// Seconds and nanoseconds: a file system gives the number of a file that is gone to the next one.
    private let modified: [Int]
    private let changed: [Int]

    /// The identity of what stands there; `nil` when nothing does, or nothing that may be looked at.
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
