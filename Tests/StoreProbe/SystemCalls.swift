#if os(Linux)
    import Glibc
    import OstiaryCompatibility

    /// The calls that bring a file to the disk, in their order: these functions take the place of the C library's in this
    /// program, and do the same.
    enum SystemCalls {
        private static let calls = Lock<[String]>([])

        static var list: [String] { calls.withLock { $0 } }
        fileprivate static func note(_ call: String) { calls.withLock { $0.append(call) } }
    }

    @_cdecl("fsync")
    public func recordedSynchronization(_ descriptor: Int32) -> Int32 {
        var information = stat()
        let isKnown = fstat(descriptor, &information) == 0
        let isFolder = isKnown && information.st_mode & S_IFMT == S_IFDIR
        SystemCalls.note(isFolder ? "fsync folder" : "fsync file of \(information.st_size) bytes")
        return fdatasync(descriptor)
    }

    @_cdecl("rename")
    public func recordedRename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 {
        SystemCalls.note("rename")
        return renameat(AT_FDCWD, old, AT_FDCWD, new)
    }
#endif
