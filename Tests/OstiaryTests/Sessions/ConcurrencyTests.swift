import Foundation
import Ostiary
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Concurrency: many callers, one session")
struct ConcurrencyTests {
    @Test("50 callers who find the token too old cause one refresh, and all get its token")
    func singleFlight() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let before = world.network.count(path: "/token")
        world.clock.advance(by: .seconds(900))
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<50 { group.addTask { try await session.accessToken() } }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(world.network.count(path: "/token") == before + 1)
    }

    @Test(
        "Callers that wait for a failing refresh all get its error, and the session is kept",
        .failure("A refresh with many waiting callers fails")
    )
    func failureForAll() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(
            over: AnsweringTransport(status: 503, over: world.network, path: "/token"),
            path: "/token"
        )
        let restored = try #require(try await world.client(transport: gate).restoreSession())
        let tasks = (0..<20).map { _ in
            Task { await failure { () throws(SignInError) in _ = try await restored.accessToken() } }
        }
        await gate.arrival()
        gate.open()
        for task in tasks { #expect(await task.value == SignInError(.refresh, .server(status: 503))) }
        #expect(restored.end == nil && session.end == nil)
    }

    @Test("A caller who is cancelled does not take the refresh away from the others")
    func cancelledCaller() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let session = try #require(try await world.client(transport: gate).restoreSession())
        let first = Task { try await session.accessToken() }
        await gate.arrival()
        let second = Task { try await session.accessToken() }
        first.cancel()
        gate.open()
        #expect(try await second.value.isEmpty == false)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test(
        "A sign-out during a refresh discards and revokes the new tokens",
        .failure("The user signs out during a refresh")
    )
    func signOutBeatsRefresh() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let client = try world.client(transport: gate)
        let session = try #require(try await client.restoreSession())
        let waiting = Task { await failure { () throws(SignInError) in _ = try await session.accessToken() } }
        await gate.arrival()
        // The server has not seen the refresh yet, so the revocation at sign-out is of the old refresh token.
        try await session.signOut()
        let writes = world.store.calls(of: .write)
        gate.open()
        #expect(await waiting.value?.recovery == .signInAgain)
        #expect(world.store.calls(of: .write) == writes)
        #expect(try await client.restoreSession() == nil)
        #expect(session.end == .userAction)
    }

    @Test("Sign-in, refresh, reading and sign-out at once leave no session behind, and no race")
    func everythingAtOnce() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    if index % 4 == 0 { world.clock.advance(by: .seconds(300)) }
                    if index == 30 { _ = try? await session.signOut() }
                    _ = try? await session.accessToken()
                    _ = session.identity
                    if index % 5 == 0 { _ = try? await session.refresh() }
                }
            }
        }
        #expect(session.end != nil)
        #expect(try await world.client().restoreSession() == nil)
    }

    @Test("Many handoffs at once through one client read the metadata once")
    func discoveryOnce() async throws {
        let world = try World()
        let client = try world.client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await client.codeHandoff() } }
            try await group.waitForAll()
        }
        #expect(world.network.count(path: "/.well-known/openid-configuration") == 1)
    }
}
