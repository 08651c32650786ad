import Ostiary
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

/// The callers that are served though a refresh fails, and the reports of it.
@Suite("A refresh that fails while there is something to hand out")
struct RefreshServedTests {
    @Test(
        "A token renewed by another process during a pause is handed out",
        .failure("The server is busy, and another process has refreshed")
    )
    func renewedElsewhere() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let busy = BusyOnce(over: world.network, path: "/token", seconds: 300)
        let session = try #require(try await world.client(transport: busy).restoreSession())
        _ = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        let other = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        let token = try await other.accessToken()
        #expect(try await session.accessToken() == token)
        #expect(session.state == .active && world.network.count(path: "/token") == 2)
    }

    @Test(
        "A valid token that cannot be refreshed now is handed out, unless the caller requires a longer validity",
        .failure("The server fails while the access token is valid")
    )
    func stillGood() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let busy = BusyOnce(over: world.network, path: "/token", seconds: 300)
        let session = try #require(try await world.client(transport: busy).restoreSession())
        let token = session.tokens.accessToken
        world.clock.advance(by: .seconds(880))
        // The server is asked, and then left alone.
        #expect(try await session.accessToken() == token)
        #expect(try await session.accessToken() == token)
        #expect(world.network.count(path: "/token") == 1)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken(minimumValidity: .seconds(30))
            }?.reason
                == .server(status: 503)
        )
        world.clock.advance(by: .seconds(16))
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }?.reason
                == .server(status: 503)
        )
        #expect(session.end == nil)
    }

    @Test("A permanent refresh failure is thrown, even while the token is valid")
    func lasting() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let broken = AnsweringTransport(status: 404, over: world.network, path: "/token")
        let session = try #require(try await world.client(transport: broken).restoreSession())
        world.clock.advance(by: .seconds(880))
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.refresh, .server(status: 404))
        )
    }

    @Test(
        "An early refresh with an unwritable store hands out the old token, unless the caller set a validity",
        .failure("The store cannot be written, and the access token is valid")
    )
    func readOnlyStore() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let token = try await session.accessToken()
        world.store.failAlways(.write)
        world.clock.advance(by: .seconds(881))
        #expect(try await session.accessToken() == token)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken(minimumValidity: .seconds(20)) }
                == SignInError(.storage, .storage(.unavailable))
        )
        world.clock.advance(by: .seconds(15))
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.storage, .storage(.unavailable))
        )
        #expect(world.network.count(path: "/token") == 1)
        let isTold = world.events.events.contains { if case .storageFailed = $0 { true } else { false } }
        #expect(!isTold, "Nothing was sent, so nothing new is in memory.")
    }

    @Test("A stale session becomes active when another process renews it")
    func goodAgain() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
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

    @Test("A stale session becomes active when its tokens could be stored")
    func storedAtLast() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        world.store.failFrom(.write, call: 2, with: .locked)
        _ = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(session.state == .stale(SignInError(.storage, .storage(.locked))))
        world.store.recover()
        _ = try await session.accessToken()
        #expect(session.state == .active)
    }
}
