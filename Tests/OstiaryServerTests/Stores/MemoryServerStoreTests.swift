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
}
