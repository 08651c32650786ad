#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension SealedFolder {
    /// Writes a temporary file to the folder and removes it.
    func check() throws(FileStore.Problem) {
        var information = stat()
        guard lstat(path, &information) == 0 else {
            // The first write creates it.
            if errno == ENOENT { return }
            throw problem(errno)
        }
        let file = "\(path)/.check-\(UInt64.random(in: 0...UInt64.max))"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw problem(errno) }
        let zeros = [UInt8](repeating: 0, count: 65_536)
        let count = write(descriptor, zeros, zeros.count)
        var reason: Int32?
        if count < 0 || count == zeros.count && fsync(descriptor) != 0 { reason = errno }
        // A nearly full disk takes a part of the bytes, and reports no error.
        if count >= 0, count < zeros.count { reason = ENOSPC }
        close(descriptor)
        unlink(file)
        if let reason { throw problem(reason) }
    }

    /// Checks that the folder can be listed: it holds at most ``maximumFiles`` values.
    func checkNumber() throws(FileStore.Problem) {
        guard (try? names(endingIn: SealedValue.fileSuffix)) != nil else {
            throw .tooManyFiles(folder: path, limit: Self.maximumFiles)
        }
    }

    private func problem(_ reason: Int32) -> FileStore.Problem {
        switch reason {
        case ENOSPC, EDQUOT: .diskFull(folder: path)
        case EMFILE, ENFILE:
            .folderUnusable(folder: path, reason: "the process has no file descriptor left (ulimit -n)")
        default: .folderUnusable(folder: path, reason: String(cString: strerror(reason)))
        }
    }
}

extension SealingKey {
    /// Checks whether the store that keeps the key has it, if the folder holds values that need it.
    ///
    /// A store that cannot be read reports the reason itself: ``SecretServiceStore/check()``.
    func checkKept(sealing folder: SealedFolder) async throws(FileStore.Problem) {
        guard let kept = keyInStore, (try? folder.holdsSealedValue()) == true else { return }
        let bytes: [UInt8]?
        do throws(StorageFailure) { bytes = try await kept.store.read(kept.name) } catch { return }
        if bytes == nil { throw .keptKeyMissing(key: kept.name, folder: folder.path) }
    }

    /// Checks the key file.
    func check(sealing folder: SealedFolder) throws(FileStore.Problem) {
        guard let path = keyFile else { return }
        var information = stat()
        guard lstat(path, &information) == 0 else {
            let reason = errno
            guard reason == ENOENT else {
                throw .keyUnreachable(file: path, reason: String(cString: strerror(reason)))
            }
            if (try? folder.holdsSealedValue()) == true { throw .keyMissing(file: path, folder: folder.path) }
            return
        }
        let mode = UInt32(information.st_mode)
        if mode & UInt32(S_IFMT) != UInt32(S_IFREG) { throw .keyUnusable(file: path, reason: "it is not a plain file") }
        if information.st_uid != geteuid() {
            throw .keyOfAnotherUser(file: path, owner: information.st_uid, user: geteuid())
        }
        if mode & 0o077 != 0 { throw .keyExposed(file: path, mode: String(mode & 0o777, radix: 8)) }
        if information.st_size != 32 {
            throw .keyUnusable(file: path, reason: "it has \(information.st_size) bytes, and not 32")
        }
        if access(path, R_OK) != 0 { throw .keyUnreadable(file: path, reason: String(cString: strerror(errno))) }
    }
}
