import Foundation
import Ostiary
import OstiaryTesting
import Testing

@Suite("FileStore", .timeLimit(.minutes(5)))
struct FileStoreTests {
    private static let key = StoreKey("session/a")
    private static let sealing = SealingKey.bytes(Array(0..<32))

    @Test("It keeps every promise of a store")
    func contract() async throws {
        try await Folder.use { folder in
            let key = SealingKey.file(at: folder.path("keys/key"))
            let store = FileStore(directory: folder.path("a/b/c"), key: key)
            try await SecretStoreCheck(store, reopen: { FileStore(directory: folder.path("a/b/c"), key: key) }).run()
        }
    }

    @Test("Nothing is made before the first write")
    func lazy() async throws {
        try await Folder.use { folder in
            let store = FileStore(directory: folder.path("new"), key: .file(at: folder.path("key")))
            #expect(try await store.read(Self.key) == nil)
            try await store.remove(Self.key)
            #expect(folder.names() == [])
        }
    }

    @Test("Folders, files and the key are for this user only, and nothing else is left")
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

    @Test("A file shows neither the key's name nor the value, and no two are alike")
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

    @Test("A file that was changed in any part is refused, and stays as it is")
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

    @Test("A file that was cut short, or made longer, is refused")
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

    @Test("A file in another's place is refused")
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

    @Test("Another key opens nothing")
    func wrongKey() async throws {
        try await Folder.withValue { folder, _, _ in
            let store = FileStore(directory: folder.path("s"), key: .bytes(Array(1..<33)))
            await #expect(throws: StorageFailure.corrupted) { try await store.read(Self.key) }
        }
    }

    @Test("More than 1 MiB is neither read nor written")
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

    @Test("A link, a folder or a pipe in a file's place is refused")
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

    @Test("A write that fails leaves the value before it, and nothing else")
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

    @Test("What a crash left behind does not stop a write")
    func leftover() async throws {
        try await Folder.withValue { folder, store, file in
            folder.write(Data("half a".utf8), to: file + ".new")
            #expect(try await store.read(Self.key) == [1])
            try await store.write([2], for: Self.key)
            #expect(try await store.read(Self.key) == [2])
            #expect(folder.names("s").count == 2)
        }
    }

    @Test("A folder that cannot be one is unavailable")
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

    @Test("A folder without permission is unavailable", .enabled(if: geteuid() != 0))
    func noPermission() async throws {
        try await Folder.withValue { folder, store, _ in
            #expect(chmod(folder.path("s"), 0) == 0)
            defer { chmod(folder.path("s"), 0o700) }
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.write([2], for: Self.key) }
            await #expect(throws: StorageFailure.unavailable) { try await store.remove(Self.key) }
        }
    }

    @Test("A writer whose turn does not come changes nothing, and readers need no turn")
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

    @Test("A key file that others can read is refused", arguments: [0o640, 0o604, 0o620, 0o602, 0o644] as [mode_t])
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

    @Test("A key file of another user is refused", .enabled(if: geteuid() == 0))
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

    @Test("A lost key is replaced neither by a read nor by a write, as long as values are sealed with it")
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

    @Test("Whoever makes the key first, all use the same")
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

    @Test("A key of another size seals nothing, and no key is shown", arguments: [0, 16, 31, 33, 64])
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
