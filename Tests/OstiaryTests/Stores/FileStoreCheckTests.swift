import Foundation
import Ostiary
import Testing

@Suite("Checking a file store", .timeLimit(.minutes(5)))
struct FileStoreCheckTests {
    private static let key = StoreKey("session/a")

    @Test("A usable file store passes its check, before its first write and after it")
    func usable() async throws {
        try await Folder.use { folder in
            let store = FileStore(directory: folder.path("s"), key: .file(at: folder.path("key")))
            try await store.check()
            #expect(folder.names() == [])
            try await store.write([1], for: Self.key)
            try await store.check()
            #expect(folder.names("s").count == 2)
        }
    }

    @Test("A missing key is named, with the folder of the values that it sealed")
    func missingKey() async throws {
        try await Folder.withKeyFile { folder, store in
            #expect(unlink(folder.path("key")) == 0)
            let problem = FileStore.Problem.keyMissing(file: folder.path("key"), folder: folder.path("s"))
            await #expect(throws: problem) { try await store.check() }
            #expect(problem.description.contains("The key file \(folder.path("key")) is missing"))
        }
    }

    @Test("A keyring that was reset is named with the key, the folder and the command that begins anew")
    func missingKeptKey() async throws {
        try await Folder.use { folder in
            let keyring = MemoryStore()
            func store() -> FileStore { FileStore(directory: folder.path("it's"), key: .kept(in: keyring)) }
            try await store().check()
            try await store().write([1], for: Self.key)
            try await store().check()
            try await keyring.remove(StoreKey("ostiary/sealing-key"))
            let problem = FileStore.Problem.keptKeyMissing(
                key: StoreKey("ostiary/sealing-key"),
                folder: folder.path("it's")
            )
            await #expect(throws: problem) { try await store().check() }
            #expect(problem.description.contains("no key ostiary/sealing-key"))
            #expect(problem.description.hasSuffix("run: rm -r '\(folder.path("it'\\''s"))'"))
        }
    }

    @Test("A key that others can read is named, with the command that closes it", arguments: [0o644, 0o640, 0o602])
    func exposedKey(mode: Int) async throws {
        try await Folder.withKeyFile { folder, store in
            #expect(chmod(folder.path("key"), mode_t(mode)) == 0)
            let problem = FileStore.Problem.keyExposed(file: folder.path("key"), mode: String(mode, radix: 8))
            await #expect(throws: problem) { try await store.check() }
            #expect(problem.description.contains("chmod 600 \(folder.path("key"))"))
        }
    }

    @Test("A key file of another size, or a folder in its place, is named with the reason")
    func unusableKey() async throws {
        try await Folder.withKeyFile { folder, store in
            let file = folder.path("key")
            #expect(truncate(file, 31) == 0)
            await #expect(throws: FileStore.Problem.keyUnusable(file: file, reason: "it has 31 bytes, and not 32")) {
                try await store.check()
            }
            #expect(unlink(file) == 0 && mkdir(file, 0o700) == 0)
            await #expect(throws: FileStore.Problem.keyUnusable(file: file, reason: "it is not a plain file")) {
                try await store.check()
            }
        }
    }

    @Test("A key file of another user is named with both users and how to get it", .enabled(if: geteuid() == 0))
    func otherOwner() async throws {
        try await Folder.withKeyFile { folder, store in
            let file = folder.path("key")
            #expect(chown(file, 12_345, 0) == 0)
            let problem = FileStore.Problem.keyOfAnotherUser(file: file, owner: 12_345, user: 0)
            await #expect(throws: problem) { try await store.check() }
            #expect(problem.description.contains("belongs to user 12345, and this process runs as user 0"))
            #expect(problem.description.hasSuffix("sudo chown 0 \(file)"))
        }
    }

    @Test("A key file that its owner may not read is named with the command that opens it")
    func unreadableKey() async throws {
        try await Folder.withKeyFile { folder, store in
            let file = folder.path("key")
            let problem = FileStore.Problem.keyUnreadable(file: file, reason: "Permission denied")
            #expect(
                problem.description == "The key file \(file) cannot be read: Permission denied. Run: chmod 600 \(file)"
            )
            #expect(chmod(file, 0) == 0)
            // The superuser reads every file.
            guard geteuid() != 0 else { return }
            await #expect(throws: problem) { try await store.check() }
        }
    }

    @Test("A key file behind a file in a folder's place is named with the system's reason, and no backup is advised")
    func unreachableKey() async throws {
        try await Folder.use { folder in
            folder.write(Data(), to: "file")
            let key = folder.path("file/key")
            let problem = FileStore.Problem.keyUnreachable(file: key, reason: "Not a directory")
            let store = FileStore(directory: folder.path("s"), key: .file(at: key))
            await #expect(throws: problem) { try await store.check() }
            #expect(problem.description.contains("cannot be reached: Not a directory. Check each folder"))
        }
    }

    @Test("A full disk is named", .enabled(if: FullDisk.canBeHad))
    func fullDisk() async throws {
        try await Folder.withValue { folder, store, _ in
            try FullDisk.mount(at: folder.path("s"))
            defer { FullDisk.unmount(folder.path("s")) }
            folder.write(Data(count: 60_000), to: "s/filler")
            await #expect(throws: FileStore.Problem.diskFull(folder: folder.path("s"))) { try await store.check() }
            #expect(folder.names("s") == ["filler"])
        }
    }

    @Test("A file in the folder's place is named with the system's reason")
    func noFolder() async throws {
        try await Folder.use { folder in
            folder.write(Data(), to: "s")
            let store = FileStore(directory: folder.path("s"), key: .bytes(Array(0..<32)))
            let problem = FileStore.Problem.folderUnusable(folder: folder.path("s"), reason: "Not a directory")
            await #expect(throws: problem) { try await store.check() }
        }
    }

    @Test("More than 10,000 files are named with the limit; a value is still read and removed by its key")
    func tooManyFiles() async throws {
        try await Folder.withValue { folder, store, _ in
            for number in 0..<10_000 { #expect(mknod(folder.path("s/\(number).sealed"), S_IFREG | 0o600, 0) == 0) }
            await #expect(throws: StorageFailure.unavailable) { try await store.keys() }
            let problem = FileStore.Problem.tooManyFiles(folder: folder.path("s"), limit: 10_000)
            await #expect(throws: problem) { try await store.check() }
            #expect(problem.description.contains("10000"))
            #expect(try await store.read(Self.key) == [1])
            try await store.remove(Self.key)
            #expect(try await store.read(Self.key) == nil)
        }
    }

    @Test("A damaged file is listed apart and hides no other value")
    func contents() async throws {
        try await Folder.withValue { folder, store, file in
            try await store.write([2], for: StoreKey("session/b"))
            folder.write(folder.bytes(file) + [0], to: file)
            await #expect(throws: StorageFailure.corrupted) { try await store.keys() }
            let contents = try await store.contents()
            #expect(contents.keys == [StoreKey("session/b")])
            #expect(contents.unreadable == [folder.path(file)])
            try await store.remove(Self.key)
            #expect(try await store.contents().unreadable == [])
        }
    }

    @Test("A damaged file is removed with its name, a readable one stays, and so does one beside the values")
    func removeUnreadable() async throws {
        try await Folder.withValue { folder, store, file in
            #expect(try await store.removeUnreadable().removed == [])
            try await store.write([2], for: StoreKey("session/b"))
            folder.write(folder.bytes(file) + [0], to: file)
            #expect(try await store.removeUnreadable().removed == [folder.path(file)])
            #expect(try await store.read(Self.key) == nil)
            #expect(try await store.keys() == [StoreKey("session/b")])
        }
    }

    @Test(
        "A file of a newer format stays when unreadable files are removed, and one that only resembles it is removed",
        arguments: [
            ("ostiary-sealed-3\n", true), ("ostiary-sealed-10\n", true), ("ostiary-plain-2\n", true),
            ("ostiary-sealed-\n", false), ("ostiary-sealed-3", false), ("ostiary-sealed-2\n", false),
            ("ostiary-sealed-x\n", false), ("ostiary-sealed-1234567890\n", false),
        ]
    )
    func newerFormat(_ mark: String, _ isNewer: Bool) async throws {
        try await Folder.withValue { folder, store, file in
            folder.write(Data((mark + (mark.hasSuffix("\n") ? "sealed" : "")).utf8), to: file)
            let path = folder.path(file)
            let files = try await store.removeUnreadable()
            #expect(files.newer == (isNewer ? [path] : []) && files.removed == (isNewer ? [] : [path]))
            #expect(try await store.contents().unreadable == (isNewer ? [path] : []))
        }
    }
}
