import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("A refresh that something happens to")
struct RefreshLifeTests {
    private static let required = SignInError(.refresh, .signInRequired)

    @Test(
        "A lost refresh response is recovered where the server accepts the refresh token again",
        .failure("The response to a refresh is lost")
    )
    func repetition() async throws {
        let world = try World(lifetimes: .init(refreshTokenReuse: .seconds(10)))
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        world.network.lose(to: "/token", .afterProcessing)
        _ = try await session.accessToken()
        #expect(session.end == nil && world.network.count(path: "/token") == 3)
        try await session.refresh()
    }

    @Test(
        "A lost refresh response at a strict server ends the session as lostRotation, and a new sign-in succeeds",
        .failure("The response to a refresh is lost, and the server accepts no repeated request")
    )
    func lostRotation() async throws {
        let world = try World()
        let client = try world.client()
        let session = try await client.signIn()
        world.clock.advance(by: .seconds(900))
        world.network.lose(to: "/token", .afterProcessing)
        #expect(await failure { () throws(SignInError) in _ = try await session.accessToken() }?.endsSession == true)
        #expect(session.end == .lostRotation)
        #expect(try await client.restoreSession() == nil)
        #expect(try await client.signIn().end == nil)
    }

    @Test(
        "A lost refresh request is repeated at once within the replay window, and not outside of it",
        .failure("A refresh request is lost before it reaches the server")
    )
    func window() async throws {
        let world = try World()
        let session = try await world.client(policy: SessionPolicy(replayWindow: .seconds(5))).signIn()
        world.clock.advance(by: .seconds(900))
        world.network.lose(to: "/token", .beforeProcessing)
        _ = try await session.accessToken()
        #expect(world.network.count(path: "/token") == 3)
        world.clock.advance(by: .seconds(900))
        let never = try #require(
            try await world.client(policy: SessionPolicy(replayWindow: .zero), store: world.storeOfAnotherProcess)
                .restoreSession()
        )
        world.network.lose(to: "/token", .beforeProcessing)
        let lost = SignInError(.refresh, .transport(.interrupted))
        #expect(await failure { () throws(SignInError) in try await never.refresh() } == lost)
        #expect(world.network.count(path: "/token") == 4)
        try await never.refresh()
        #expect(never.end == nil)
    }

    @Test(
        "A process that dies after the response leaves a mark, and the next one repeats the refresh",
        .failure("A process dies between the response and the write to the store")
    )
    func death() async throws {
        let world = try World(lifetimes: .init(refreshTokenReuse: .seconds(3600)))
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        try await Self.die(in: world)
        let next = try #require(try await world.client().restoreSession())
        _ = try await next.accessToken()
        #expect(next.end == nil && world.network.count(path: "/token") == 3)
    }

    @Test(
        "A process that dies after the response ends the session as lostRotation at a strict server",
        .failure("A process dies between the response and the write to the store; the server accepts no repetition")
    )
    func deathWithoutGrace() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        try await Self.die(in: world)
        let next = try #require(try await world.client().restoreSession())
        _ = await failure { () throws(SignInError) in _ = try await next.accessToken() }
        #expect(next.end == .lostRotation)
    }

    /// A process gets as far as the mark and the request, and stores nothing after that.
    private static func die(in world: World) async throws {
        let store = FaultyStore(world.store)
        store.failFrom(.write, call: 2)
        let dying = try #require(try await world.client(store: store).restoreSession())
        #expect(await failure { () throws(SignInError) in try await dying.refresh() }?.stage == .storage)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test(
        "The new refresh token is stored before keys are fetched for the ID token beside it",
        .failure("The issuer's keys cannot be fetched after a refresh")
    )
    func keysUnreachable() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        // An app that was started anew, and whose store kept nothing but the session, has no keys yet.
        try await world.forgetLearnedFacts()
        let offline = AnsweringTransport(status: 503, over: world.network, path: "/jwks")
        let session = try #require(try await world.client(transport: offline).restoreSession())
        let error = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(error?.recovery == .retry && session.end == nil)
        let next = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        _ = try await next.accessToken()
        #expect(next.end == nil && world.network.count(path: "/token") == 3)
    }

    @Test(
        "Two apps that refresh at the same moment take turns, and the second one uses the first one's tokens",
        .failure("An app and its widget refresh at the same moment")
    )
    func twoProcesses() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let app = try #require(try await world.client(transport: gate).restoreSession())
        let widget = try #require(try await world.client(transport: gate).restoreSession())
        async let one = app.accessToken()
        async let other = widget.accessToken()
        await gate.arrival()
        gate.open()
        #expect(try await one == other)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test(
        "A lock held too long by another process fails the refresh as locked, and the session is kept",
        .failure("Another process holds the lock too long")
    )
    func busy() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let slow = try #require(try await world.client(transport: gate).restoreSession())
        async let first = slow.accessToken()
        await gate.arrival()
        let other = try #require(
            try await world.client(
                policy: SessionPolicy(lockPatience: .seconds(0.05)),
                store: world.storeOfAnotherProcess
            )
            .restoreSession()
        )
        #expect(
            await failure { () throws(SignInError) in _ = try await other.accessToken() }
                == SignInError(.storage, .storage(.locked))
        )
        gate.open()
        let token = try await first
        #expect(try await other.accessToken() == token)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("A Retry-After pauses the refreshes, and each error reports the time left", .failure("The server is busy"))
    func retryAfter() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let busy = BusyOnce(over: world.network, path: "/token", seconds: 20)
        let session = try #require(try await world.client(transport: busy).restoreSession())
        let refused = SignInError(.refresh, .server(status: 503), retryAfter: .seconds(20))
        #expect(await failure { () throws(SignInError) in _ = try await session.accessToken() } == refused)
        #expect(session.state == .stale(refused))
        world.clock.advance(by: .seconds(5))
        let again = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(again?.reason == .server(status: 503) && again?.retryAfter == .seconds(15))
        #expect(world.network.count(path: "/token") == 1)
        world.clock.advance(by: .seconds(15))
        _ = try await session.accessToken()
        #expect(session.state == .active)
    }

    @Test(
        "A clock that is a day off causes one refresh, and keeps the session",
        .failure("The device's clock is a day off"),
        arguments: [86_400.0, -86_400]
    )
    func wrongClock(_ error: Double) async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let clock = world.clock
        let wrong = DeviceClock(
            now: { clock.now.addingTimeInterval(error) },
            uptime: { clock.now.timeIntervalSince1970 },
            sleep: { clock.advance(by: $0) }
        )
        let client = try world.client(device: wrong)
        let session = try #require(try await client.restoreSession())
        for _ in 0..<3 { _ = try await session.accessToken() }
        try await session.refresh()
        let token = try await session.accessToken()
        #expect(try await session.accessToken() == token)
        #expect(session.end == nil && world.network.count(path: "/token") <= 3)
    }

    @Test(
        "A rejected refresh token after its announced expiry ends the session as expired",
        .failure("The refresh token has expired")
    )
    func expired() async throws {
        let world = try World(
            scenario: Scenario(name: "told") { scenario in
                scenario.tokenResponse = { response, _ in response["refresh_expires_in"] = 1000 }
            }
        )
        let session = try await world.client().signIn()
        #expect(session.tokens.refreshTokenExpiry == world.clock.now.addingTimeInterval(1000))
        world.clock.advance(by: .seconds(31 * 86_400))
        _ = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(session.end == .expired)
    }

    @Test("A revoked refresh token ends the session as revoked", .failure("The provider revokes the session"))
    func revoked() async throws {
        let world = try World()
        let client = try world.client()
        let session = try await client.signIn()
        try await client.revoke(try #require(session.tokens.refreshToken), kind: .refreshToken)
        _ = await failure { () throws(SignInError) in try await session.refresh() }
        #expect(session.end == .revoked)
        #expect(try await client.restoreSession() == nil)
    }

    @Test(
        "A sign-out in another process is found at the next refresh, and nothing is sent",
        .failure("The user signs out in another process")
    )
    func removedElsewhere() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let other = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        try await other.signOut()
        let requests = world.network.count(path: "/token")
        #expect(await failure { () throws(SignInError) in try await session.refresh() } == Self.required)
        #expect(session.end == .removedElsewhere && world.network.count(path: "/token") == requests)
    }

    @Test(
        "A sign-out in another process beats a refresh under way: its tokens are revoked and not stored",
        .failure("The user signs out in another process during a refresh")
    )
    func signOutElsewhere() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let app = try #require(try await world.client(transport: gate).restoreSession())
        let waiting = Task { await failure { () throws(SignInError) in _ = try await app.accessToken() } }
        await gate.arrival()
        let other = try world.client(store: world.storeOfAnotherProcess)
        world.network.lose(to: "/revoke", .beforeProcessing)
        try await (try #require(try await other.restoreSession())).signOut()
        gate.open()
        #expect(await waiting.value == Self.required)
        #expect(app.end == .removedElsewhere && world.network.count(path: "/revoke") == 2)
        #expect(try await other.restoreSession() == nil)
    }

    @Test("A refresh that a sign-out overtakes leaves no valid tokens behind when its answer cannot be checked")
    func uncheckedAfterSignOut() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        try await world.forgetLearnedFacts()
        // This process has no keys, and gets none.
        let keyless = AnsweringTransport(status: 503, over: world.network, path: "/jwks")
        let gate = GatedTransport(over: keyless, path: "/token", holdingResponse: true)
        let session = try #require(try await world.client(transport: gate).restoreSession())
        let waiting = Task { await failure { () throws(SignInError) in _ = try await session.accessToken() } }
        await gate.arrival()
        let leaving = Task { try await session.signOut() }
        while session.end == nil { await Task.yield() }
        gate.open()
        #expect(await waiting.value == Self.required)
        _ = try await leaving.value
        let revoked = world.network.requests.filter { $0.path == "/revoke" }.compactMap { $0.request.form[.token] }
        #expect(Set(revoked).count == 2)
    }

    @Test("A store that cannot be read fails as locked, and keeps the session", .failure("The store is locked"))
    func unreadable() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        world.store.failAlways(.read, with: .locked)
        let locked = SignInError(.storage, .storage(.locked))
        #expect(await failure { () throws(SignInError) in _ = try await session.accessToken() } == locked)
        let client = try world.client()
        #expect(await failure { () throws(SignInError) in _ = try await client.restoreSession() } == locked)
        #expect(session.end == nil && world.network.count(path: "/token") == 1)
        world.store.recover()
        _ = try await session.accessToken()
    }

    @Test(
        "All restored objects of one session share one state, and refresh once",
        .failure("One session is restored twice")
    )
    func restoredTwice() async throws {
        let world = try World()
        let client = try world.client()
        _ = try await client.signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let gated = try world.client(transport: gate)
        let sessions = [try #require(try await gated.restoreSession()), try #require(try await gated.restoreSession())]
        async let one = sessions[0].accessToken()
        async let other = sessions[1].accessToken()
        await gate.arrival()
        gate.open()
        #expect(try await one == other)
        #expect(world.network.count(path: "/token") == 2)
        #expect(sessions[0].tokens == sessions[1].tokens)
    }

    @Test("A refresh returns its token, which may have expired on its way, and sends one request")
    func shortLived() async throws {
        let world = try World(lifetimes: .init(accessToken: .seconds(1)))
        let gate = GatedTransport(over: world.network, path: "/token", holdingResponse: true)
        _ = try await world.client().signIn()
        let session = try #require(try await world.client(transport: gate).restoreSession())
        async let token = session.refresh()
        await gate.arrival()
        world.clock.advance(by: .seconds(5))
        gate.open()
        #expect(try await !token.isEmpty)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("1,000 callers cause one request", .failure("Many callers need a refresh at once"))
    func thousandCallers() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<1000 { group.addTask { try await session.accessToken() } }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && world.network.count(path: "/token") == 2)
    }

    @Test(
        "Many resource requests rejected with one token replace it once",
        .failure("An API rejects a token before its expiry")
    )
    func insteadOf() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let refused = try await session.accessToken()
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<50 { group.addTask { try await session.accessToken(insteadOf: refused) } }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && !tokens.contains(refused) && world.network.count(path: "/token") == 2)
    }

    @Test("A cancelled caller returns at once", .failure("A caller is cancelled"))
    func cancelled() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let session = try #require(try await world.client(transport: gate).restoreSession())
        let waiting = Task { await failure { () throws(SignInError) in _ = try await session.accessToken() } }
        await gate.arrival()
        waiting.cancel()
        // The request is still held.
        #expect(await waiting.value == SignInError(.refresh, .cancelled))
        gate.open()
        _ = try await session.accessToken()
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("A session's states begin with the current one and end with its end")
    func states() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let states = session.states
        try await session.signOut()
        var seen: [Session.State] = []
        for await state in states { seen.append(state) }
        #expect(seen.last == .ended(.userAction))
        #expect(session.state == .ended(.userAction))
        var late: [Session.State] = []
        for await state in session.states { late.append(state) }
        #expect(late == [.ended(.userAction)])
    }
}

@Suite("A refresh in an app that the system suspends")
struct SuspensionTests {
    @Test(
        "When background time expires the lock is released, and the sent refresh is settled afterwards",
        .failure("The system suspends the app during a refresh")
    )
    func suspended() async throws {
        let world = try World(lifetimes: .init(refreshTokenReuse: .seconds(60)))
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let time = ScriptedTime()
        let app = try #require(try await world.client(transport: gate, backgroundTime: time).restoreSession())
        async let token = app.accessToken()
        await gate.arrival()
        #expect(time.isRunning)
        time.expire()
        #expect(!time.isRunning)
        // The widget goes on, and finds the mark.
        let widget = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        let other = try await widget.accessToken()
        gate.open()
        #expect(try await token == other)
        #expect(app.end == nil && widget.end == nil)
    }

    @Test("Without background time no refresh is sent", .failure("The system grants an app no background time"))
    func refused() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let time = ScriptedTime(isRefused: true)
        let app = try #require(try await world.client(backgroundTime: time).restoreSession())
        #expect(
            await failure { () throws(SignInError) in _ = try await app.accessToken() }
                == SignInError(.storage, .storage(.locked))
        )
        #expect(world.network.count(path: "/token") == 1 && app.end == nil)
    }
}

/// Background time that a test ends.
private final class ScriptedTime: BackgroundTime {
    private let isRefused: Bool
    private let expired = Lock<(@Sendable () -> Void)?>(nil)

    init(isRefused: Bool = false) { self.isRefused = isRefused }

    var isRunning: Bool { expired.withLock { $0 != nil } }
    func expire() { expired.withLock { $0 }?() }

    func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold? {
        if isRefused { return nil }
        self.expired.withLock { $0 = expired }
        return BackgroundTimeHold { self.expired.withLock { $0 = nil } }
    }
}
