import Foundation
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryProvider
import OstiaryTesting
import Testing

@testable import Ostiary

@Suite("Settling: what has been sent is answered and stored before a program ends")
struct SettlingTests {
    /// A device whose waits last until they are cancelled.
    private func patient(_ world: World) -> DeviceClock {
        let clock = world.clock
        return DeviceClock(now: { clock.now }, uptime: { clock.now.timeIntervalSince1970 }) { _ in
            try await Task.sleep(for: .seconds(3600))
        }
    }

    @Test("A refresh whose caller was cancelled is awaited, and its tokens are stored")
    func refresh() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let client = try world.client(transport: gate, device: patient(world))
        #expect(await client.settle(within: .zero))
        let session = try #require(try await client.restoreSession())
        let old = session.tokens.refreshToken
        let caller = Task { await failure { () throws(SignInError) in _ = try await session.accessToken() } }
        await gate.arrival()
        caller.cancel()
        #expect(await caller.value == SignInError(.refresh, .cancelled))
        #expect(await !client.settle(within: .zero))
        let settled = Task { await client.settle() }
        // The last steps of a program are not cancelled with its work.
        settled.cancel()
        gate.open()
        #expect(await settled.value)
        let stored = try #require(try await world.client().restoreSession())
        #expect(stored.tokens.refreshToken != old)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("Settling ends at its limit when no response comes")
    func limit() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        // The clock of the world lets time pass at once.
        let client = try world.client(transport: gate)
        let session = try #require(try await client.restoreSession())
        let caller = Task { await failure { () throws(SignInError) in _ = try await session.accessToken() } }
        await gate.arrival()
        let start = world.clock.now
        #expect(await !client.settle(within: .seconds(20)))
        #expect(world.clock.now.timeIntervalSince(start) == 20)
        gate.open()
        #expect(await caller.value == nil)
    }

    @Test("Settling waits until tokens that cannot be stored yet are stored")
    func storing() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (freed, free) = AsyncStream<Void>.makeStream()
        let clock = world.clock
        let device = DeviceClock(now: { clock.now }, uptime: { clock.now.timeIntervalSince1970 }) { pause in
            // The limit of the waiting below.
            if pause > .seconds(100) { return try await Task.sleep(for: .seconds(3600)) }
            ask.yield()
            for await _ in freed { break }
            clock.advance(by: pause)
        }
        let client = try world.client(device: device)
        let session = try #require(try await client.restoreSession())
        // The mark is written, the tokens are not.
        world.store.failFrom(.write, call: 2)
        let caller = Task { await failure { () throws(SignInError) in _ = try await session.accessToken() } }
        for await _ in asked { break }
        caller.cancel()
        _ = await caller.value
        #expect(await !client.settle(within: .zero))
        world.store.recover()
        let settled = Task { await client.settle(within: .seconds(1000)) }
        free.finish()
        #expect(await settled.value)
        let stored = try #require(try await world.client().restoreSession())
        #expect(try await stored.accessToken() == session.accessToken())
    }

    @Test(
        "Settling stops after the store refused for two minutes, and the next call stores the tokens"
    )
    func givenUp() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let clock = world.clock
        let isLimitReached = Lock(false)
        let device = DeviceClock(now: { clock.now }, uptime: { clock.now.timeIntervalSince1970 }) { pause in
            guard pause > .seconds(100) else { return clock.advance(by: pause) }
            // The limit of the waiting below, which is cancelled before.
            try await Task.sleep(for: .seconds(60))
            isLimitReached.withLock { $0 = true }
        }
        let client = try world.client(device: device)
        let session = try #require(try await client.restoreSession())
        world.store.failFrom(.write, call: 2)
        let start = clock.now
        let error = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(error == SignInError(.storage, .storage(.unavailable)))
        #expect(await !client.settle(within: .seconds(1000)))
        #expect(!isLimitReached.withLock { $0 })
        #expect(abs(clock.now.timeIntervalSince(start) - 120) < 0.01)
        #expect(await !client.settle(within: .zero))
        world.store.recover()
        _ = try await session.accessToken()
        #expect(await client.settle(within: .zero))
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("A refresh cancelled before its request was sent sends nothing and is not awaited")
    func beforeSending() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let client = try world.client(device: patient(world))
        let session = try #require(try await client.restoreSession())
        let lock = try #require(world.store.processLock)
        let hold = try await lock.acquire(client.storeKey.description, waiting: .zero)
        let caller = Task { await failure { () throws(SignInError) in _ = try await session.accessToken() } }
        while await client.settle(within: .zero) { await Task.yield() }
        caller.cancel()
        #expect(await caller.value == SignInError(.refresh, .cancelled))
        #expect(await client.settle(within: .zero))
        hold.release()
        _ = try await session.accessToken()
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("A sign-in that is cancelled after its code was sent is stored and returned")
    func code() async throws {
        let world = try World()
        let gate = CancellableGate(over: world.network)
        let client = try world.client(transport: gate, device: patient(world))
        let signingIn = Task { try await client.signIn() }
        await gate.arrival()
        signingIn.cancel()
        #expect(await !client.settle(within: .zero))
        gate.open()
        #expect(await client.settle())
        #expect(try await world.client().restoreSession() != nil)
        #expect(try await signingIn.value.identity?.subject == "alice-subject")
    }

    @Test("A device's poll that brings tokens though its caller was cancelled is stored")
    func poll() async throws {
        let world = try World(client: { $0.grantTypes.insert(.deviceCode) })
        let gate = CancellableGate(over: world.network)
        let client = try world.client(transport: gate)
        let person = world.person()
        let signingIn = Task {
            try await client.signInOnOtherDevice { pending in
                guard let page = pending.completeVerificationURI.flatMap(URL.init(string:)),
                    let attempt = try? await person.attempt(awaiting: try! RedirectURI("com.example.app:/callback"))
                else { return }
                _ = try? await attempt.open(page, accepting: .any)
            }
        }
        await gate.arrival()
        signingIn.cancel()
        gate.open()
        #expect(try await signingIn.value.identity?.subject == "alice-subject")
        #expect(try await client.restoreSession() != nil)
    }

    @Test("Unsettled work of any client counts for the process")
    func process() async throws {
        let whole = UnsettledWork(within: nil)
        let (one, other) = (UnsettledWork(within: whole), UnsettledWork(within: whole))
        one.begin()
        other.begin()
        one.end()
        #expect(await one.settle(within: .zero, by: .system))
        #expect(await !whole.settle(within: .zero, by: .system))
        other.end()
        #expect(await whole.settle(within: .zero, by: .system))
    }

    @Test("Paused work counts as unsettled, and is awaited once it resumes")
    func resting() async throws {
        let whole = UnsettledWork(within: nil)
        let (one, other) = (UnsettledWork(within: whole), UnsettledWork(within: whole))
        one.begin()
        one.rest()
        #expect(await !one.settle(within: .seconds(3600), by: .system))
        #expect(await !whole.settle(within: .seconds(3600), by: .system))
        other.begin()
        async let settled = whole.settle(within: .seconds(3600), by: .system)
        other.end()
        #expect(await !settled)
        one.goOn()
        async let both = (
            one.settle(within: .seconds(3600), by: .system), whole.settle(within: .seconds(3600), by: .system)
        )
        one.end()
        #expect(await both == (true, true))
    }
}

/// Holds token requests until it is opened, and fails those whose task is cancelled, as a network transport does.
private final class CancellableGate: HTTPTransport {
    private let next: any HTTPTransport
    private let (arrivals, arrive) = AsyncStream<Void>.makeStream()
    private let (opened, opening) = AsyncStream<Void>.makeStream()

    init(over next: any HTTPTransport) { self.next = next }

    func arrival() async { for await _ in arrivals { return } }
    func open() { opening.finish() }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url.path() == "/token" else { return try await next.send(request) }
        let response = try await next.send(request)
        arrive.yield()
        for await _ in opened {}
        if Task.isCancelled { throw .cancelled }
        return response
    }
}
