import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryLogi
import OstiaryLogiServer
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("logi: a backend's refreshes when callers go away, come at once, or the issuer is away", .timeLimit(.minutes(5)))
struct LogiFlightTests {
    private let world: LogiWorld
    private let partner: LogiPartner

    init() async throws {
        world = try LogiWorld { $0.lifetimes.accessToken = .seconds(3600) }
        // A waiting that takes no time leaves the clock alone: nothing but the test moves it.
        let clock = world.clock
        let device = DeviceClock(
            now: { clock.now },
            uptime: { clock.now.timeIntervalSince1970 },
            sleep: { _ in await Task.yield() }
        )
        partner = try LogiPartner(
            world,
            lifetimes: .init(absolute: .seconds(864_000), idle: .seconds(864_000)),
            clock: device
        )
    }

    private func session() async throws -> ServerSession {
        let callback = try await world.logi(opener: world.nativeApp()).authorize(try await partner.start())
        let handle = try #require(try await partner.finish(callback).object["session"]?.string)
        return try await partner.session(handle)
    }

    private func token(_ session: ServerSession) async -> Result<Secret, SignInError> {
        do throws(SignInError) { return .success(try await partner.backend.sessions.accessToken(of: session)) } catch {
            return .failure(error)
        }
    }

    /// The error of a call that has to fail.
    private func failure(_ session: ServerSession) async -> SignInError? {
        if case .failure(let error) = await token(session) { error } else { nil }
    }

    private var asked: Int { partner.wire.requests(to: "/oauth/token").count }

    /// Answers token requests with a failure as long as the lock says so.
    private func fail(_ response: EndpointResponse, while fault: Fault) {
        partner.wire.answer { request in request.url.path() == "/oauth/token" && fault.isOn ? response : nil }
    }

    /// A fault that is there until it is mended.
    private final class Fault: Sendable {
        private let state = Lock(true)
        var isOn: Bool { state.withLock { $0 } }
        func mend() { state.withLock { $0 = false } }
    }

    @Test("A caller that is cancelled during a refresh loses neither the token nor the session")
    func cancelled() async throws {
        let session = try await session()
        let old = try await token(session).get()
        world.clock.advance(by: .seconds(3700))
        let (arrivals, gate) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        partner.wire.answer { request in
            guard request.url.path() == "/oauth/token" else { return nil }
            arrivals.continuation.yield()
            // A task that is cancelled no longer waits.
            for await _ in gate.stream {}
            return Task.isCancelled ? EndpointResponse(status: .internalServerError) : nil
        }
        let before = asked
        let caller = Task { await token(session) }
        for await _ in arrivals.stream { break }
        caller.cancel()
        #expect(await caller.value == .failure(SignInError(.refresh, .cancelled)))
        gate.continuation.finish()
        let new = try await token(session).get()
        #expect(new != old && asked == before + 1)
        #expect(partner.renewals.all == [.renewed])
    }

    @Test(
        "Callers of one instance that come at once share one refresh, and none of them asks the store until it is done"
    )
    func shared() async throws {
        let session = try await session()
        world.clock.advance(by: .seconds(3700))
        let tokens = await withTaskGroup(of: Result<Secret, SignInError>.self) { group in
            for _ in 0..<20 { group.addTask { await token(session) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && (try? tokens.first?.get()) != nil)
        #expect(partner.renewals.all == [.renewed])
    }

    @Test("A 429 of the issuer pauses all sessions for its Retry-After, and each call reports the time left")
    func retryAfter() async throws {
        let (one, other) = (try await session(), try await session())
        world.clock.advance(by: .seconds(3700))
        let fault = Fault()
        fail(EndpointResponse(status: .tooManyRequests, fields: [.retryAfter: "40"]), while: fault)
        let before = asked
        #expect(await failure(one)?.retryAfter == .seconds(40) && asked == before + 1)
        world.clock.advance(by: .seconds(10))
        #expect(await failure(one)?.retryAfter == .seconds(30))
        #expect(await failure(other)?.retryAfter == .seconds(30))
        #expect(asked == before + 1)
        fault.mend()
        world.clock.advance(by: .seconds(31))
        _ = try await token(one).get()
        _ = try await token(other).get()
        #expect(asked == before + 3)
    }

    @Test("Repeated failures of an issuer double the pause, up to half a minute")
    func backOff() async throws {
        let sessions = [try await session(), try await session(), try await session(), try await session()]
        world.clock.advance(by: .seconds(3700))
        let fault = Fault()
        fail(EndpointResponse(status: .serviceUnavailable), while: fault)
        let before = asked
        // Ten minutes in which each session is used once a second.
        for _ in 0..<600 {
            for session in sessions { #expect(await failure(session) != nil) }
            world.clock.advance(by: .seconds(1))
        }
        #expect((10...60).contains(asked - before), "\(asked - before)")
        fault.mend()
        world.clock.advance(by: .seconds(60))
        for session in sessions { _ = try await token(session).get() }
        #expect(partner.renewals.all.suffix(4) == [.renewed, .renewed, .renewed, .renewed])
    }

    @Test("After a timeout no other session's refresh token is sent before the issuer's metadata can be read")
    func hanging() async throws {
        let (one, other) = (try await session(), try await session())
        world.clock.advance(by: .seconds(3700))
        world.network.lose(to: "/oauth/token", .beforeProcessing, with: .timedOut)
        #expect(await failure(one)?.reason == .transport(.timedOut))
        let fault = Fault()
        partner.wire.answer { request in
            guard request.url.path().hasPrefix("/.well-known/"), fault.isOn else { return nil }
            return EndpointResponse(status: .gatewayTimeout)
        }
        let before = asked
        for _ in 0..<10 {
            #expect(await failure(other) != nil)
            world.clock.advance(by: .seconds(31))
        }
        #expect(asked == before)
        fault.mend()
        world.clock.advance(by: .seconds(31))
        _ = try await token(other).get()
        #expect(asked == before + 1)
    }

    @Test("A sign-in that is finished while its caller is cancelled has a session for the repeated request")
    func cancelledFinish() async throws {
        let callback = try await world.logi(opener: world.nativeApp()).authorize(try await partner.start())
        let (arrivals, gate) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        partner.wire.answer { request in
            guard request.url.path() == "/oauth/token" else { return nil }
            arrivals.continuation.yield()
            for await _ in gate.stream {}
            return Task.isCancelled ? EndpointResponse(status: .internalServerError) : nil
        }
        let caller = Task { try await partner.finish(callback).status }
        for await _ in arrivals.stream { break }
        caller.cancel()
        gate.continuation.finish()
        _ = try? await caller.value
        let again = try await partner.finish(callback)
        #expect(again.status == 200 && again.object["session"] != nil)
        #expect(asked == 1)
    }

    @Test("A session sealed with a retired key has ended, and one whose key is missing is kept")
    func retiredKey() async throws {
        let store = MemoryServerStore()
        let partner = try LogiPartner(world, store: store, sealing: SealingKeys(.random(id: "old")))
        let callback = try await world.logi(opener: world.nativeApp()).authorize(try await partner.start())
        let handle = try #require(try await partner.finish(callback).object["session"]?.string)
        func reason(_ keys: SealingKeys) async throws -> SessionRefusal.Reason? {
            let other = try LogiPartner(world, store: store, sealing: keys)
            let refusal = await #expect(throws: SessionRefusal.self) { try await other.session(handle) }
            return refusal?.reason
        }
        #expect(try await reason(SealingKeys(.random(id: "new"))) == .storeUnavailable(.corrupted))
        #expect(try await partner.session(handle).subject.isEmpty == false)
        #expect(try await reason(SealingKeys(.random(id: "new"), retired: ["old"])) == .ended)
        #expect(try await store.session(partner.id(of: handle), now: world.clock.now) == nil)
    }
}
