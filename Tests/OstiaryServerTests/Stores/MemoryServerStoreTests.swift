import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The store in memory")
struct MemoryServerStoreTests {
    @Test("The memory server store keeps the promises of a server store")
    func promises() async throws {
        let store = MemoryServerStore()
        try await ServerStoreCheck(store, reopen: { store }).run()
    }

    @Test("A store that removes sessions and does not store their revocations breaks a promise")
    func forgetful() async throws {
        let store = SwitchedServerStore()
        store.forgetRevocations()
        let broken = await #expect(throws: BrokenPromise.self) { try await ServerStoreCheck(store).run() }
        #expect(broken?.promise == "The revocations of sessions that a logout ends are stored with their removal.")
    }

    @Test("A store that stores the revocations of sessions that it does not remove breaks a promise")
    func overeager() async throws {
        let store = SwitchedServerStore()
        store.revokeAll()
        let broken = await #expect(throws: BrokenPromise.self) { try await ServerStoreCheck(store).run() }
        #expect(broken?.promise == "The revocations of sessions that a logout ends are stored with their removal.")
    }
}
