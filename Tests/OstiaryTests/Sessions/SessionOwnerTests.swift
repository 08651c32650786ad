import Foundation
import Ostiary
import OstiaryTesting
import Testing

@Suite("Several clients of one stored session in a process", .timeLimit(.minutes(5)))
struct SessionOwnerTests {
    /// An app's own store without a lock.
    private final class OwnStore: SecretStore {
        let values = MemoryStore()
        func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await values.read(key) }
        func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
            try await values.write(value, for: key)
        }
        func remove(_ key: StoreKey) async throws(StorageFailure) { try await values.remove(key) }
    }

    /// The same as a value that looks like all others.
    private struct OwnStoreValue: SecretStore {
        let values = MemoryStore()
        func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await values.read(key) }
        func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
            try await values.write(value, for: key)
        }
        func remove(_ key: StoreKey) async throws(StorageFailure) { try await values.remove(key) }
    }

    @Test(
        "Two clients over a store without a lock refresh once",
        arguments: [
            OwnStore() as any SecretStore, OwnStoreValue(),
        ]
    )
    func oneRefresh(store: any SecretStore) async throws {
        let world = try World()
        _ = try await world.client(store: store).signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let one = try #require(try await world.client(transport: gate, store: store).restoreSession())
        let first = Task { try await one.accessToken() }
        await gate.arrival()
        let other = try #require(try await world.client(store: store).restoreSession())
        let second = Task { try await other.accessToken() }
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        #expect(try await first.value == second.value)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("A sign-out through one client ends the session of the other at once")
    func signOut() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let other = try #require(try await world.client().restoreSession())
        try await other.signOut(.local)
        #expect(session.end == .userAction)
    }

    @Test("A sign-in through one client ends the session of the other at once")
    func replaced() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        _ = try await world.client().signIn()
        #expect(session.end == .replaced)
    }

    @Test("A second client cannot sign in while the first one does")
    func secondSignIn() async throws {
        let world = try World()
        let pages = AsyncStream.makeStream(of: Void.self)
        let person = HoldingPerson(world.person(), shown: pages.continuation)
        let client = try world.client(
            userAgent: ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
                try await person.answer(url, redirectURI)
            }
        )
        let first = Task { try await client.signIn() }
        for await _ in pages.stream { break }
        let other = try world.client()
        await #expect(throws: SignInError(.authorization, .alreadyInProgress)) { try await other.signIn() }
        person.act()
        _ = try await first.value
    }

    @Test("Clients of another store, another account or another client identifier share nothing")
    func apart() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        _ = try await world.client(store: MemoryStore()).signIn()
        #expect(session.end == nil)
    }

    @Test("A restored session uses the client that restored it last")
    func newestClient() async throws {
        let world = try World()
        let session = try await world.client(
            transport: AnsweringTransport(status: 503, over: world.network, path: "/userinfo")
        ).signIn()
        let gate = GatedTransport(over: world.network, path: "/token")
        gate.open()
        _ = try await world.client(transport: gate).restoreSession()
        world.clock.advance(by: .seconds(900))
        _ = try await session.accessToken()
        await gate.arrival()
        #expect(session.end == nil)
    }

    @Test("File stores of one folder are one store, whatever the spelling of its path")
    func files() async throws {
        try await Folder.use { folder in
            let key = SealingKey.bytes(Array(0..<32))
            #expect(mkdir(folder.path("real"), 0o700) == 0)
            #expect(symlink(folder.path("real"), folder.path("link")) == 0)
            func identity(_ name: String) -> AnyHashable? {
                FileStore(directory: folder.path(name), key: key).identity.map { AnyHashable($0) }
            }
            #expect(identity("real") != nil)
            #expect(identity("real") == identity("link"))
            #expect(identity("real/below") == identity("./link//below/"))
            #expect(identity("real") != identity("other"))
        }
    }
}
