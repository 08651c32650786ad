import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

/// The clock of a device, which a user sets wrong and right again.
private final class SetClock: Sendable {
    private let error: Lock<Double>
    private let clock: TestClock

    init(wrongBy seconds: Double, _ clock: TestClock) {
        error = Lock(seconds)
        self.clock = clock
    }

    func set(wrongBy seconds: Double) { error.withLock { $0 = seconds } }

    var device: DeviceClock {
        DeviceClock(
            now: { self.clock.now.addingTimeInterval(self.error.withLock { $0 }) },
            uptime: { self.clock.now.timeIntervalSince1970 },
            sleep: { self.clock.advance(by: $0) }
        )
    }
}

@Suite("A session on a device whose clock is wrong")
struct WrongClockTests {
    private static let year = 365.0 * 86_400

    @Test(
        "A clock up to two days off is corrected with one refresh, and keeps the session",
        arguments: [86_400.0, -86_400, 86_401, -86_401, 172_000, -172_000]
    )
    func corrected(_ error: Double) async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let wrong = SetClock(wrongBy: error, world.clock)
        let session = try #require(try await world.client(device: wrong.device).restoreSession())
        try await session.refresh()
        let token = try await session.accessToken()
        #expect(try await session.accessToken() == token)
        #expect(session.end == nil && world.network.count(path: "/token") == 2)
    }

    @Test(
        "A clock a year off fails each refresh, and the session continues once it is corrected",
        .failure("The device's clock is a year off"),
        arguments: [(year, SignInError.Check.expiry), (-year, .issuedAt)]
    )
    func yearOff(_ error: Double, _ check: SignInError.Check) async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let clock = SetClock(wrongBy: error, world.clock)
        let client = try world.client(device: clock.device)
        let session = try #require(try await client.restoreSession())
        let refused = SignInError(.identity, .mismatch(check))
        // With keys that have to be fetched first, and with cached keys.
        for _ in 0..<3 {
            #expect(await failure { () throws(SignInError) in try await session.refresh() } == refused)
            #expect(session.state == .stale(refused) && session.end == nil)
        }
        #expect(abs(try #require(client.clockOffset).lead / .seconds(1) - error) < 5)
        // So does the next start of the app.
        let next = try #require(try await world.client(device: clock.device).restoreSession())
        #expect(await failure { () throws(SignInError) in try await next.refresh() } == refused)
        clock.set(wrongBy: 0)
        try await session.refresh()
        let token = try await session.accessToken()
        #expect(session.end == nil && session.state == .active)
        let last = try #require(try await world.client().restoreSession())
        #expect(try await last.accessToken() == token)
    }

    @Test(
        "Without a server time, a clock a day off keeps the session",
        arguments: [86_400.0, -86_400]
    )
    func dateless(_ error: Double) async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let clock = SetClock(wrongBy: error, world.clock)
        let client = try world.client(transport: DatelessTransport(over: world.network), device: clock.device)
        let session = try #require(try await client.restoreSession())
        for _ in 0..<2 {
            guard case .mismatch? = await failure({ () throws(SignInError) in try await session.refresh() })?.reason
            else {
                Issue.record("It has taken an ID token for valid.")
                return
            }
            world.clock.advance(by: .seconds(60))
        }
        #expect(client.clockOffset == nil)
        clock.set(wrongBy: 0)
        try await session.refresh()
        #expect(session.end == nil)
    }

    @Test(
        "An ID token with an unpublished key fails one refresh, and keeps the session",
        .failure("The issuer publishes its keys late")
    )
    func lateKeys() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        try await world.forgetLearnedFacts()
        let late = try world.client(transport: LateKeysTransport(over: world.network))
        let session = try #require(try await late.restoreSession())
        #expect(
            await failure { () throws(SignInError) in try await session.refresh() }
                == SignInError(.identity, .mismatch(.key))
        )
        world.clock.advance(by: .seconds(60))
        let next = try #require(try await world.client().restoreSession())
        try await next.refresh()
        #expect(next.end == nil && session.end == nil)
    }

    @Test("A response that fails a time check and cannot be stored at once is kept")
    func unstored() async throws {
        let world = try World()
        let clock = SetClock(wrongBy: 0, world.clock)
        let session = try await world.client(device: clock.device).signIn()
        clock.set(wrongBy: Self.year)
        // The mark is written, and nothing after it.
        world.store.failFrom(.write, call: 2)
        #expect(
            await failure { () throws(SignInError) in try await session.refresh() }
                == SignInError(.identity, .mismatch(.expiry))
        )
        #expect(world.network.count(path: "/token") == 2)
        world.store.recover()
        clock.set(wrongBy: 0)
        world.clock.advance(by: .seconds(60))
        try await session.refresh()
        #expect(session.end == nil)
    }

    @Test(
        "An app that starts with a slow clock hands out no token that has expired",
        .failure("The app starts with a slow clock"),
        arguments: [-86_000.0, -600]
    )
    func slowStart(_ error: Double) async throws {
        let world = try World()
        let clock = SetClock(wrongBy: error, world.clock)
        let client = try world.client(device: clock.device)
        // The first answers say what time it is.
        let token = try await client.signIn().accessToken()
        let early = try #require(try await world.client(device: clock.device).restoreSession())
        #expect(try await early.accessToken() == token)
        world.clock.advance(by: .seconds(900))
        let session = try #require(try await world.client(device: clock.device).restoreSession())
        #expect(try await session.accessToken() != token)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("An app that starts with a fast clock keeps a valid token", arguments: [86_000.0, 600])
    func fastStart(_ error: Double) async throws {
        let world = try World()
        let clock = SetClock(wrongBy: error, world.clock)
        let token = try await world.client(device: clock.device).signIn().accessToken()
        world.clock.advance(by: .seconds(800))
        let session = try #require(try await world.client(device: clock.device).restoreSession())
        #expect(try await session.accessToken() == token)
        #expect(world.network.count(path: "/token") == 1)
    }

    @Test("A clock set between two starts does not extend a token's validity", arguments: [86_000.0, -86_000])
    func setBetween(_ error: Double) async throws {
        let world = try World()
        let clock = SetClock(wrongBy: error, world.clock)
        let token = try await world.client(device: clock.device).signIn().accessToken()
        clock.set(wrongBy: 0)
        world.clock.advance(by: .seconds(900))
        let session = try #require(try await world.client(device: clock.device).restoreSession())
        #expect(try await session.accessToken() != token)
    }

    @Test(
        "After a machine stood still for hours, its uptime too, no expired token is handed out and one refresh is enough",
        .failure("The machine was suspended, and its uptime clock with it")
    )
    func machinePaused() async throws {
        let world = try World()
        let paused = Lock(0.0)
        let device = DeviceClock(
            now: { world.clock.now },
            uptime: { world.clock.now.timeIntervalSince1970 - paused.withLock { $0 } },
            sleep: { world.clock.advance(by: $0) }
        )
        let session = try await world.client(device: device).signIn()
        let token = try await session.accessToken()
        world.clock.advance(by: .seconds(28_800))
        paused.withLock { $0 = 28_800 }
        let next = try await session.accessToken()
        #expect(next != token)
        #expect(try await session.accessToken() == next)
        #expect(world.network.count(path: "/token") == 2 && session.end == nil)
    }

    @Test("A clock that is set forward while the app runs costs one refresh")
    func setForward() async throws {
        let world = try World()
        let clock = SetClock(wrongBy: 0, world.clock)
        let session = try await world.client(device: clock.device).signIn()
        let token = try await session.accessToken()
        clock.set(wrongBy: 86_000)
        let next = try await session.accessToken()
        #expect(next != token)
        #expect(try await session.accessToken() == next)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("A session that was stored without the device's time is read as before")
    func older() async throws {
        let world = try World()
        let client = try world.client()
        let token = try await client.signIn().accessToken()
        let key = StoreKey.session(issuer: client.issuer, clientID: "app")
        var object = try JSONObject(parsing: try #require(try await world.store.read(key)))
        var tokens = try #require(object["tokens"]?.object)
        tokens["received_at"] = nil
        object["tokens"] = .object(tokens)
        try await world.store.write(object.encoded(), for: key)
        let session = try #require(try await world.client().restoreSession())
        #expect(try await session.accessToken() == token)
        world.clock.advance(by: .seconds(900))
        let later = try #require(try await world.client().restoreSession())
        #expect(try await later.accessToken() != token)
    }
}

/// Leaves out when an answer was made.
private struct DatelessTransport: HTTPTransport {
    let next: any HTTPTransport

    init(over next: any HTTPTransport) { self.next = next }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        var response = try await next.send(request)
        response.fields[.date] = nil
        return response
    }
}

/// Publishes another key than the one that is signed with.
private struct LateKeysTransport: HTTPTransport {
    private static let older = try! SigningKey.generate(.es256, keyID: "older-key")
    let next: any HTTPTransport

    init(over next: any HTTPTransport) { self.next = next }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        var response = try await next.send(request)
        if request.url.path() == "/jwks" {
            let document: JSONObject = ["keys": [.object(Self.older.publicKey.jsonObject)]]
            response.body = document.encoded()
        }
        return response
    }
}
