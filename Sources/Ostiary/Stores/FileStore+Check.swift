public import OstiaryOAuth

extension FileStore {
    /// Checks whether the store can be used: its key file, its folder and the disk.
    ///
    /// Call it after an `unavailable` failure. If the folder exists, the check writes a temporary file there and
    /// removes it. If the folder holds values, it also checks that a keyring still has their key, as far as the keyring
    /// can be read. It does not check a key under a passphrase.
    ///
    /// - Throws: The first problem, with the file or folder that has it.
    public func check() async throws(FileStore.Problem) {
        try await BlockingWork.run { [folder, key] () throws(FileStore.Problem) in
            try folder.check()
            try key.check(sealing: folder)
            try folder.checkNumber()
        }
        try await key.checkKept(sealing: folder)
    }

    /// Lists the keys that have values, and the files that cannot be read.
    ///
    /// Unlike ``keys()``, one damaged file does not hide the others.
    ///
    /// - Returns: The keys, and the paths of the files that this store's key does not open.
    /// - Throws: `unavailable` or `locked` when the folder or the key cannot be used; `unavailable` when the folder
    ///   holds more than 10,000 files.
    public func contents() async throws(StorageFailure) -> (keys: [StoreKey], unreadable: [String]) {
        let names = try folder.names(endingIn: SealedValue.fileSuffix)
        guard !names.isEmpty else { return ([], []) }
        let seal = try await key.existing()
        return try await BlockingWork.run { [folder] () throws(StorageFailure) in
            var (keys, unreadable): ([StoreKey], [String]) = ([], [])
            for name in names {
                do throws(StorageFailure) {
                    guard let file = try folder.read(name, atMost: SealedValue.maximumBytes),
                        let opened = try SealedValue.open(file, named: name, with: seal)
                    else { continue }
                    if let key = opened.name { keys.append(StoreKey(key)) }
                } catch {
                    unreadable.append("\(folder.path)/\(name)")
                }
            }
            return (keys, unreadable)
        }
    }
}
