import Foundation
import Ostiary
import OstiaryTesting
import Testing

@Suite("FileStore", .timeLimit(.minutes(5)))
struct FileStoreTests {
    private static let key = StoreKey("session/a")
    private static let sealing = SealingKey.bytes(Array(0..<32))

    @Test("The file store keeps every promise of a secret store")
    func contract() async throws {
        try await Folder.use { folder in
            let key = SealingKey.file(at: folder.path("keys/key"))
            let store = FileStore(directory: folder.path("a/b/c"), key: key)
            try await SecretStoreCheck(store, reopen: { FileStore(directory: folder.path("a/b/c"), key: key) }).run()
        }
    }

    @Test("The file store creates nothing before the first write")
    func lazy() async throws {
        try await Folder.use { folder in
            let store = FileStore(directory: folder.path("new"), key: .file(at: folder.path("key")))
            #expect(try await store.read(Self.key) == nil)
            try await store.remove(Self.key)
            #expect(folder.names() == [])
        }
    }

    @Test("The file store's folders, files and key are readable by this user only")
    func permissions() async throws {
        try await Folder.use { folder in
            let store = FileStore(directory: folder.path("a/b"), key: .file(at: folder.path("keys/key")))
            try await store.write([1], for: Self.key)
            for name in ["a", "a/b", "keys"] { #expect(folder.mode(name) == 0o700) }
            let names = folder.names("a/b")
            #expect(names.filter { $0.hasSuffix(".sealed") }.count == 1)
            #expect(names.count == 2 && names.contains(".lock"))
            for name in names { #expect(folder.mode("a/b/\(name)") == 0o600) }
            #expect(folder.names("keys") == ["key"])
            #expect(folder.mode("keys/key") == 0o600)
            #expect(folder.bytes("keys/key").count == 32)
        }
    }

    @Test("A stored file shows neither key name nor value, and two writes of a value differ")
    func sealed() async throws {
        try await Folder.use { folder in
            let store = FileStore(directory: folder.path("s"), key: Self.sealing)
            let value = Array("a very secret value".utf8)
            try await store.write(value, for: Self.key)
            let file = try #require(folder.values("s").first)
            #expect(file.wholeMatch(of: /[0-9a-f]{64}\.sealed/) != nil)
            let first = folder.bytes("s/\(file)")
            #expect(first.starts(with: Data("ostiary-sealed-2\n".utf8)))
            #expect(first.range(of: Data(value)) == nil && first.range(of: Data("session".utf8)) == nil)
            try await store.write(value, for: Self.key)
            #expect(folder.bytes("s/\(file)") != first)
        }
    }

    // MARK: Files that were changed

    @Test("A stored file that was changed is corrupted, and stays in place")
    func changed() async throws {
        try await Folder.withValue { folder, store, file in
            let whole = folder.bytes(file)
            for index in whole.indices {
                var changed = whole
                changed[index] ^= 1
                folder.write(changed, to: file)
                await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
                #expect(folder.bytes(file) == changed)
            }
        }
    }

    @Test("A stored file that was cut or extended is corrupted")
    func truncated() async throws {
        try await Folder.withValue { folder, store, file in
            let whole = folder.bytes(file)
            for length in 0..<whole.count {
                folder.write(whole.prefix(length), to: file)
                await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
            }
            folder.write(whole + [0], to: file)
            await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
            // A value that was written again is whole again.
            try await store.write([2], for: Self.key)
            #expect(try await store.read(Self.key) == [2])
        }
    }

    @Test("A stored file under another name is corrupted")
    func swapped() async throws {
        try await Folder.withValue { folder, store, file in
            let other = StoreKey("session/b")
            try await store.write([2], for: other)
            let otherFile = "s/" + (try #require(folder.values("s").first { "s/\($0)" != file }))
            let (one, two) = (folder.bytes(file), folder.bytes(otherFile))
            folder.write(two, to: file)
            folder.write(one, to: otherFile)
            await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
            await #expect(throws: StorageFailure.corrupted) { try await store.read(other) }
        }
    }

    @Test("A file store with another key fails as corrupted")
    func wrongKey() async throws {
        try await Folder.withValue { folder, _, _ in
            let store = FileStore(directory: folder.path("s"), key: .bytes(Array(1..<33)))
            await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
        }
    }

    @Test("A file store neither reads nor writes more than 1 MiB")
    func oversize() async throws {
        try await Folder.withValue { folder, store, file in
            await #expect(throws: StorageFailure.unavailable) {
                try await store.write([UInt8](repeating: 0, count: 1_048_576), for: Self.key)
            }
            let kept = try await store.read(Self.key)
            #expect(kept == [1])
            for size in [1_048_577, 1 << 40] {
                // A file with a hole is as long as it says, and takes no room.
                #expect(truncate(folder.path(file), size) == 0)
                await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
            }
        }
    }

    @Test("A link, folder or pipe in place of a stored file is refused")
    func notAFile() async throws {
        try await Folder.withValue { folder, store, file in
            let path = folder.path(file)
            #expect(rename(path, folder.path("elsewhere")) == 0)
            #expect(symlink(folder.path("elsewhere"), path) == 0)
            await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
            // A write replaces the link and leaves what it leads to.
            let behind = folder.bytes("elsewhere")
            try await store.write([2], for: Self.key)
            #expect(try await store.read(Self.key) == [2])
            #expect(folder.bytes("elsewhere") == behind)
            #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
            #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
            await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.write([3], for: Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.remove(Self.key) }
        }
    }

    // MARK: Folders and disks

    @Test("A failed write keeps the earlier value, and leaves no other file")
    func failedWrite() async throws {
        try await Folder.withValue { folder, store, file in
            // A folder where the new file would be made: not even root can write there.
            #expect(mkdir(folder.path(file + ".new"), 0o700) == 0)
            await #expect(throws: StorageFailure.unavailable) { try await store.write([2], for: Self.key) }
            #expect(try await store.read(Self.key) == [1])
            #expect(rmdir(folder.path(file + ".new")) == 0)
            try await store.write([2], for: Self.key)
            #expect(try await store.read(Self.key) == [2])
        }
    }

    @Test("A full disk leaves the value before it", .enabled(if: FullDisk.canBeHad))
    func fullDisk() async throws {
        try await Folder.withValue { folder, store, _ in
            try FullDisk.mount(at: folder.path("s"))
            defer { FullDisk.unmount(folder.path("s")) }
            try await store.write([1], for: Self.key)
            await #expect(throws: StorageFailure.unavailable) {
                try await store.write([UInt8](repeating: 2, count: 500_000), for: Self.key)
            }
            #expect(try await store.read(Self.key) == [1])
            #expect(folder.names("s").count == 2)
        }
    }

    @Test("A crash's leftover file does not stop a write")
    func leftover() async throws {
        try await Folder.withValue { folder, store, file in
            folder.write(Data("half a".utf8), to: file + ".new")
            #expect(try await store.read(Self.key) == [1])
            try await store.write([2], for: Self.key)
            #expect(try await store.read(Self.key) == [2])
            #expect(folder.names("s").count == 2)
        }
    }

    @Test("A file store whose folder cannot be created is unavailable")
    func folderIsAFile() async throws {
        try await Folder.use { folder in
            folder.write(Data([1]), to: "file")
            for path in ["file", "file/below"] {
                let store = FileStore(directory: folder.path(path), key: Self.sealing)
                await #expect(throws: StorageFailure.unavailable) { try await store.write([1], for: Self.key) }
                await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(Self.key) }
                await #expect(throws: StorageFailure.unavailable) { try await store.remove(Self.key) }
            }
            #expect(folder.bytes("file") == Data([1]))
        }
    }

    @Test("A file store in a folder without permission is unavailable", .enabled(if: geteuid() != 0))
    func noPermission() async throws {
        try await Folder.withValue { folder, store, _ in
            #expect(chmod(folder.path("s"), 0) == 0)
            defer { chmod(folder.path("s"), 0o700) }
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.write([2], for: Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.remove(Self.key) }
        }
    }

    @Test("A writer that waits too long for the lock changes nothing, and readers need no lock")
    func turns() async throws {
        try await Folder.withValue { folder, _, _ in
            let store = FileStore(directory: folder.path("s"), key: Self.sealing, patience: .milliseconds(5))
            let other = open(folder.path("s/.lock"), O_RDWR | O_CLOEXEC)
            #expect(flock(other, LOCK_EX) == 0)
            await #expect(throws: StorageFailure.locked) { try await store.write([2], for: Self.key) }
            await #expect(throws: StorageFailure.locked) { try await store.remove(Self.key) }
            let kept = try await store.read(Self.key)
            #expect(kept == [1])
            close(other)
            try await store.write([2], for: Self.key)
            let written = try await store.read(Self.key)
            #expect(written == [2])
        }
    }

    // MARK: The key's file

    @Test("A key file readable by others is refused", arguments: [0o640, 0o604, 0o620, 0o602, 0o644] as [mode_t])
    func permissiveKey(mode: mode_t) async throws {
        try await Folder.withKeyFile { folder, store in
            #expect(chmod(folder.path("key"), mode) == 0)
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.write([2], for: Self.key) }
            #expect(chmod(folder.path("key"), 0o600) == 0)
            let kept = try await store.read(Self.key)
            #expect(kept == [1])
        }
    }

    @Test("A key file of another user is refused by the store", .enabled(if: geteuid() == 0))
    func foreignKey() async throws {
        try await Folder.withKeyFile { folder, store in
            #expect(chown(folder.path("key"), 1, 1) == 0)
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.write([2], for: Self.key) }
        }
    }

    @Test("A key file that is a link, or of another size, is refused", arguments: [0, 31, 33])
    func oddKey(size: Int) async throws {
        try await Folder.withKeyFile { folder, store in
            let key = folder.bytes("key")
            #expect(rename(folder.path("key"), folder.path("real")) == 0)
            #expect(symlink(folder.path("real"), folder.path("key")) == 0)
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(Self.key) }
            #expect(unlink(folder.path("key")) == 0)
            folder.write((key + [0]).prefix(size), to: "key")
            #expect(chmod(folder.path("key"), 0o600) == 0)
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.write([2], for: Self.key) }
        }
    }

    @Test("A lost key is not replaced by a read or a write while values are sealed with it")
    func lostKey() async throws {
        try await Folder.withKeyFile { folder, store in
            let lost = folder.bytes("key")
            #expect(unlink(folder.path("key")) == 0)
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.write([2], for: StoreKey("other")) }
            #expect(!folder.names().contains("key"))
            folder.write(lost, to: "key")
            #expect(chmod(folder.path("key"), 0o600) == 0)
            #expect(try await store.read(Self.key) == [1])
            #expect(unlink(folder.path("key")) == 0)
            try await store.remove(Self.key)
            try await store.write([2], for: StoreKey("other"))
            #expect(try await store.read(StoreKey("other")) == [2])
        }
    }

    @Test("A lost key in another store, or under a passphrase, is not replaced beside sealed values")
    func lostKeyElsewhere() async throws {
        try await Folder.use { folder in
            let keyring = MemoryStore()
            let path = folder.path("key")
            let keys: [(@Sendable () -> SealingKey, @Sendable () async throws -> Void)] = [
                ({ .kept(in: keyring) }, { try await keyring.remove(StoreKey("ostiary/sealing-key")) }),
                (
                    { .passphrase(Secret("open"), keyFile: path, cost: .insecureForTests) },
                    { #expect(unlink(path) == 0) }
                ),
            ]
            for (index, (key, lose)) in keys.enumerated() {
                let directory = folder.path("s\(index)")
                try await FileStore(directory: directory, key: key()).write([1], for: Self.key)
                try await lose()
                let store = FileStore(directory: directory, key: key())
                await #expect(throws: StorageFailure.unavailable) { try await store.write([2], for: StoreKey("other")) }
            }
        }
    }

    @Test("Concurrent first writers of a file store share one key")
    func racingKeys() async throws {
        try await Folder.use { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let store = FileStore(directory: folder.path("s"), key: .file(at: folder.path("key")))
                        try await store.write([UInt8(number)], for: StoreKey("\(number)"))
                    }
                }
                try await group.waitForAll()
            }
            let store = FileStore(directory: folder.path("s"), key: .file(at: folder.path("key")))
            for number in 0..<20 { #expect(try await store.read(StoreKey("\(number)")) == [UInt8(number)]) }
            #expect(folder.names().sorted() == ["key", "s"])
        }
    }

    @Test("A sealing key of another size is refused, and printing shows no key", arguments: [0, 16, 31, 33, 64])
    func keySize(count: Int) async throws {
        try await Folder.use { folder in
            let key = SealingKey.bytes([UInt8](repeating: 7, count: count))
            let store = FileStore(directory: folder.path("s"), key: key)
            await #expect(throws: StorageFailure.unavailable) { try await store.write([1], for: Self.key) }
            #expect(folder.names() == [])
            var dumped = ""
            dump(key, to: &dumped)
            #expect("\(key)" == "SealingKey([redacted])" && !dumped.contains("7"))
        }
    }
}
