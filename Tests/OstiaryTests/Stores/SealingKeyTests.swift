import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryTesting
import Testing

@Suite("The source of a store's sealing key", .timeLimit(.minutes(5)))
struct SealingKeyTests {
    private static let key = StoreKey("session/a")
    private static let passphrase = Secret("correct horse battery")

    private static func underPassphrase(_ folder: Folder, _ passphrase: Secret = passphrase) -> FileStore {
        FileStore(
            directory: folder.path("s"),
            key: .passphrase(passphrase, keyFile: folder.path("key"), cost: .insecureForTests)
        )
    }

    @Test("A file store with a passphrase keeps every promise of a secret store")
    func passphrase() async throws {
        try await Folder.use { folder in
            let store = Self.underPassphrase(folder)
            try await SecretStoreCheck(store, reopen: { Self.underPassphrase(folder) }).run()
            #expect(folder.mode("key") == 0o600)
        }
    }

    @Test("A wrong passphrase fails as locked, and keeps the values")
    func wrongPassphrase() async throws {
        try await Folder.use { folder in
            try await Self.underPassphrase(folder).write([1], for: Self.key)
            let before = folder.bytes("key")
            let other = Self.underPassphrase(folder, Secret("correct horse batterz"))
            await #expect(throws: StorageFailure.locked) { try await other.read(Self.key) }
            await #expect(throws: StorageFailure.locked) { try await other.write([2], for: Self.key) }
            await #expect(throws: StorageFailure.locked) { try await other.keys() }
            #expect(folder.bytes("key") == before)
            #expect(try await Self.underPassphrase(folder).read(Self.key) == [1])
        }
    }

    @Test("An empty passphrase is refused")
    func emptyPassphrase() async throws {
        try await Folder.use { folder in
            let store = Self.underPassphrase(folder, Secret(""))
            await #expect(throws: StorageFailure.unavailable) { try await store.write([1], for: Self.key) }
            #expect(folder.names() == [])
        }
    }

    @Test(
        "A key file that asks for too much, is of a newer version, or was changed, is refused before it costs anything"
    )
    func oddKeyFile() async throws {
        try await Folder.use { folder in
            try await Self.underPassphrase(folder).write([1], for: Self.key)
            let whole = try JSONObject(parsing: Array(folder.bytes("key")))
            let changes: [(String, JSONValue?)] = [
                ("n", 1_048_576), ("n", 1000), ("n", 1), ("n", -16), ("n", .integer(Int.max)), ("r", 9), ("r", 0),
                ("p", 17),
                ("p", 0), ("version", 2), ("version", nil), ("format", "ostiary-sessions"), ("kdf", "pbkdf2"),
                ("salt", "c2hvcnQ"), ("salt", nil), ("sealed", "c2hvcnQ"), ("sealed", nil),
            ]
            for (name, value) in changes {
                var changed = whole
                changed[name] = value
                folder.write(Data(changed.encoded()), to: "key")
                #expect(chmod(folder.path("key"), 0o600) == 0)
                let store = Self.underPassphrase(folder)
                let start = ContinuousClock.now
                await #expect(throws: StorageFailure.corrupted, "\(name) \(String(describing: value))") {
                    try await store.read(Self.key)
                }
                await #expect(throws: StorageFailure.corrupted) { try await store.write([2], for: Self.key) }
                #expect(ContinuousClock.now - start < .seconds(2))
            }
            // A weaker derivation, put there by an attacker, does not open what was sealed with the other one.
            var weaker = whole
            weaker["n"] = 8
            folder.write(Data(weaker.encoded()), to: "key")
            #expect(chmod(folder.path("key"), 0o600) == 0)
            let store = Self.underPassphrase(folder)
            await #expect(throws: StorageFailure.locked) { try await store.read(Self.key) }
        }
    }

    @Test("The standard cost is 128 MiB of scrypt, and what it seals opens again")
    func standard() async throws {
        try await Folder.use { folder in
            @Sendable func store() -> FileStore {
                FileStore(
                    directory: folder.path("s"),
                    key: .passphrase(Self.passphrase, keyFile: folder.path("key"))
                )
            }
            try await store().write([1], for: Self.key)
            let object = try JSONObject(parsing: Array(folder.bytes("key")))
            #expect(object["kdf"] == "scrypt" && object["n"] == 131_072 && object["r"] == 8 && object["p"] == 1)
            #expect(try await store().read(Self.key) == [1])
        }
    }

    @Test("A sealing key that is requested from the user is requested once, and read at once afterwards")
    func immediate() async throws {
        try await Folder.use { folder in
            let keyring = FaultyStore()
            @Sendable func store() -> FileStore { FileStore(directory: folder.path("s"), key: .kept(in: keyring)) }
            try await store().write([1], for: Self.key)
            for store in [store(), Self.underPassphrase(folder)] {
                #expect(throws: StorageFailure.locked) { try store.readNow(Self.key) }
                #expect(try store.readNow(StoreKey("absent")) == nil)
            }
            let again = store()
            let reads = keyring.calls(of: .read)
            try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                for _ in 0..<20 { group.addTask { try await again.read(Self.key) } }
                for try await value in group { #expect(value == [1]) }
            }
            #expect(try again.readNow(Self.key) == [1])
            #expect(keyring.calls(of: .read) == reads + 1)
        }
    }

    @Test("A file store with a keyring key keeps every promise, and a failing keyring is retried")
    func kept() async throws {
        try await Folder.use { folder in
            let keyring = FaultyStore()
            @Sendable func store() -> FileStore { FileStore(directory: folder.path("s"), key: .kept(in: keyring)) }
            try await SecretStoreCheck(store(), reopen: { store() }).run()
            try await store().write([1], for: Self.key)
            let later = store()
            keyring.fail(.read, with: .locked)
            await #expect(throws: StorageFailure.locked) { try await later.read(Self.key) }
            #expect(try await later.read(Self.key) == [1])
            // A keyring that lost the key: to make another one would open nothing.
            try await keyring.remove(StoreKey("ostiary/sealing-key"))
            let last = store()
            await #expect(throws: StorageFailure.unavailable) { try await last.read(Self.key) }
            #expect(try await keyring.read(StoreKey("ostiary/sealing-key")) == nil)
            try await keyring.write([1, 2, 3], for: StoreKey("ostiary/sealing-key"))
            await #expect(throws: StorageFailure.corrupted) { try await last.write([2], for: Self.key) }
        }
    }

    @Test("Concurrent first writers of a keyring key share one key")
    func racing() async throws {
        try await Folder.use { folder in
            let keyring = MemoryStore()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let store = FileStore(directory: folder.path("s"), key: .kept(in: keyring))
                        try await store.write([UInt8(number)], for: StoreKey("\(number)"))
                    }
                }
                try await group.waitForAll()
            }
            let store = FileStore(directory: folder.path("s"), key: .kept(in: keyring))
            for number in 0..<20 { #expect(try await store.read(StoreKey("\(number)")) == [UInt8(number)]) }
        }
    }

    @Test("A plain-text file store keeps every promise, and its files are readable")
    func plain() async throws {
        try await Folder.use { folder in
            @Sendable func store() -> FileStore { FileStore(directory: folder.path("s"), key: .unsealedPlainText) }
            try await SecretStoreCheck(store(), reopen: { store() }).run()
            try await store().write(Array("readable".utf8), for: Self.key)
            let file = "s/" + (try #require(folder.values("s").first))
            #expect(folder.bytes(file).range(of: Data("readable".utf8)) != nil)
            #expect(folder.bytes(file).starts(with: Data("ostiary-plain-1\n".utf8)))
            #expect(folder.mode(file) == 0o600)
            let whole = folder.bytes(file)
            for index in whole.indices {
                var changed = whole
                changed[index] ^= 1
                folder.write(changed, to: file)
                await #expect(throws: StorageFailure.corrupted) { try await store().read(Self.key) }
            }
            // With a key, an unsealed file is not believed: an attacker may have put it there.
            folder.write(whole, to: file)
            let sealed = FileStore(directory: folder.path("s"), key: .bytes(Array(0..<32)))
            await #expect(throws: StorageFailure.corrupted) { try await sealed.read(Self.key) }
            await #expect(throws: StorageFailure.corrupted) { try await sealed.keys() }
        }
    }

    @Test("Printing a sealing key shows no key and no passphrase")
    func shown() {
        let keys: [(SealingKey, String)] = [
            (.passphrase(Self.passphrase, keyFile: "/k"), "SealingKey(passphrase: /k)"),
            (.kept(in: MemoryStore()), "SealingKey(kept as: ostiary/sealing-key)"),
            (.unsealedPlainText, "SealingKey(none: plain text)"),
        ]
        for (key, text) in keys {
            var dumped = ""
            dump(key, to: &dumped)
            #expect("\(key)" == text && !dumped.contains("horse"))
        }
    }
}
