import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryMigration
import OstiaryTesting
import Testing

@Suite("Exported sessions", .timeLimit(.minutes(5)))
struct SessionArchiveTests {
    private static let passphrase = Secret("correct horse battery")
    private static let keys = ["a", "b/ä", ""].map { StoreKey($0) }

    private func filled() async throws -> MemoryStore {
        let store = MemoryStore()
        for (number, key) in Self.keys.enumerated() { try await store.write([UInt8(number)], for: key) }
        return store
    }

    private func archive() async throws -> [UInt8] {
        try await SessionArchive.export(
            Self.keys + [StoreKey("absent")],
            from: try await filled(),
            passphrase: Self.passphrase,
            cost: .insecureForTests
        )
    }

    @Test("An exported session archive is imported, and nothing in it is readable")
    func roundTrip() async throws {
        let archive = try await archive()
        #expect(!String(decoding: archive, as: UTF8.self).contains("b/ä"))
        let store = MemoryStore()
        #expect(try await SessionArchive.restore(archive, to: store, passphrase: Self.passphrase) == Self.keys)
        #expect(try await store.keys() == (try await filled().keys()))
        #expect(try await store.read(Self.keys[1]) == [1])
    }

    @Test("A session archive with a wrong passphrase, a newer version or a change is rejected, and nothing is written")
    func refused() async throws {
        let archive = try await archive()
        let store = MemoryStore()
        func failure(_ bytes: [UInt8], _ passphrase: Secret = Self.passphrase) async -> SessionArchive.Failure? {
            do throws(SessionArchive.Failure) {
                try await SessionArchive.restore(bytes, to: store, passphrase: passphrase)
                return nil
            } catch {
                return error
            }
        }
        #expect(await failure(archive, Secret("another")) == .wrongPassphrase)
        #expect(await failure(archive, Secret("")) == .emptyPassphrase)
        var object = try JSONObject(parsing: archive)
        object["version"] = 2
        #expect(await failure(object.encoded()) == .unknownVersion)
        object["version"] = 1
        object["n"] = 8
        #expect(await failure(object.encoded()) == .wrongPassphrase)
        object["n"] = 1_073_741_824
        #expect(await failure(object.encoded()) == .malformed)
        object["format"] = "ostiary-key"
        #expect(await failure(object.encoded()) == .malformed)
        #expect(await failure(Array("not an archive".utf8)) == .malformed)
        #expect(await failure([]) == .malformed)
        #expect(try await store.keys().isEmpty)
    }

    @Test("A failed archive import keeps the store's earlier values")
    func storeFails() async throws {
        let store = FaultyStore()
        try await store.write([9], for: Self.keys[0])
        store.fail(.write, call: 2, with: .locked)
        await #expect(throws: SessionArchive.Failure.storage(.locked)) {
            try await SessionArchive.restore(try await archive(), to: store, passphrase: Self.passphrase)
        }
        #expect(try await store.read(Self.keys[0]) == [9])
        #expect(try await store.read(Self.keys[1]) == nil)
        store.fail(.read)
        await #expect(throws: SessionArchive.Failure.storage(.unavailable)) {
            try await SessionArchive.export(
                Self.keys,
                from: store,
                passphrase: Self.passphrase,
                cost: .insecureForTests
            )
        }
    }

    @Test("An older copy of a session does not replace what a refresh has stored since; another session's does")
    func older() async throws {
        let world = try World()
        let client = try world.client()
        let session = try await client.signIn()
        let key = StoreKey.session(issuer: client.issuer, clientID: "app")
        let archive = try await SessionArchive.export(
            [key],
            from: world.store,
            passphrase: Self.passphrase,
            cost: .insecureForTests
        )
        #expect(try await SessionArchive.restore(archive, to: world.store, passphrase: Self.passphrase) == [key])
        try await session.refresh()
        let newer = try await world.store.read(key)
        #expect(try await SessionArchive.restore(archive, to: world.store, passphrase: Self.passphrase).isEmpty)
        #expect(try await world.store.read(key) == newer)
        _ = try await client.signIn()
        #expect(try await SessionArchive.restore(archive, to: world.store, passphrase: Self.passphrase) == [key])
    }

    @Test("An archive import writes a value under the lock of its writers")
    func locked() async throws {
        let store = MemoryStore()
        let archive = try await archive()
        let lock = try #require(store.processLock)
        let hold = try await lock.acquire(Self.keys[1].writeLockName, waiting: .zero)
        let restoring = Task { try await SessionArchive.restore(archive, to: store, passphrase: Self.passphrase) }
        while try await store.read(Self.keys[0]) == nil { await Task.yield() }
        for _ in 0..<50 { await Task.yield() }
        #expect(try await store.read(Self.keys[1]) == nil)
        hold.release()
        #expect(try await restoring.value == Self.keys)
    }
}
