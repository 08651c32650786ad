import OstiaryProvider

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that only its owner can read.
enum PrivateFile {
    /// Creates the file for this user alone, and removes other users' rights from an existing one.
    ///
    /// SQLite gives its journals the same rights. A symbolic link is rejected: it may lead to another user's file.
    static func prepare(_ path: String) throws(ProviderStorageFailure) {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard file >= 0 else {
            throw ProviderStorageFailure("open the database file: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        guard fchmod(file, S_IRUSR | S_IWUSR) == 0 else {
            throw ProviderStorageFailure("make the database file private")
        }
    }
}
