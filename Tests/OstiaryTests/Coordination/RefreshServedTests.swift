import Ostiary
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

/// What is told of a session whose refresh failed.
@Suite("A refresh that fails while there is something to hand out")
struct RefreshServedTests {
    @Test("A session that failed is told to be good again when another process renews it")
    func goodAgain() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: 900)
        let client = try world.client()
        let session = try #require(try await client.restoreSession())
        func fail() async {
            world.network.lose(to: "/token", .beforeProcessing, with: .unreachable)
            _ = await failure { () throws(SignInError) in try await session.refresh() }
            #expect(session.state == .stale(SignInError(.refresh, .transport(.unreachable))))
        }
        await fail()
        let other = try #require(try await world.client().restoreSession())
        let token = try await other.accessToken()
        #expect(try await session.accessToken() == token)
        #expect(session.state == .active)
        await fail()
        try await other.refresh()
        // Restoring it once more finds the new tokens, too.
        _ = try await client.restoreSession()
        #expect(session.state == .active)
    }

    @Test("A session whose tokens could be stored at last is told to be good again")
    func storedAtLast() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: 900)
        world.store.failFrom(.write, call: 2, with: .locked)
        _ = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(session.state == .stale(SignInError(.storage, .storage(.locked))))
        world.store.recover()
        _ = try await session.accessToken()
        #expect(session.state == .active)
    }
}
