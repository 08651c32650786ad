import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Revocations shared by instances")
struct SharedRevocationTests {
    /// One instance of a service, with a list of its own.
    private struct Instance {
        let revocations: SharedRevocations
        let resource: ProtectedResource

        func takes(_ token: String = Fixtures.token()) async -> Bool {
            if case .granted = await resource.authorize(fields: Fixtures.bearer(token)) { true } else { false }
        }
    }

    private let store = SwitchedStore()
    private let clock = MovedClock()
    private let pauses = Pauses()
    private let reports = Collected<SharedRevocations.Event>()

    private func instance(maximumCount: Int = 100) throws -> Instance {
        let revoked = RevokedTokens(longestLifetime: .seconds(300), maximumCount: maximumCount, clock: clock.device)
        let keys = try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: clock.device)
        return Instance(
            revocations: SharedRevocations(
                of: revoked,
                in: store,
                clock: DeviceClock(now: clock.now, uptime: { 0 }, sleep: pauses.sleep),
                events: reports.add
            ),
            resource: try ResourceServer(keys: [keys], revoked: revoked, clock: clock.device)
                .resource(Fixtures.policy())
        )
    }

    @Test("A revocation of a token, session or user by one instance is effective at the others after a read")
    func told() async throws {
        let (first, second) = (try instance(), try instance())
        try await first.revocations.revoke(tokenID: "token-1", of: Fixtures.issuer)
        #expect(await !first.takes())
        #expect(await second.takes())
        try await second.revocations.read()
        #expect(await !second.takes())
        let session = Fixtures.token { ($0["jti"], $0["sid"]) = ("token-2", "session-1") }
        #expect(await second.takes(session))
        try await first.revocations.revoke(sessionID: "session-1", of: Fixtures.issuer)
        try await second.revocations.read()
        #expect(await !second.takes(session))
        let person = Fixtures.token { ($0["jti"], $0["sub"]) = ("token-3", "bob") }
        #expect(await second.takes(person))
        try await first.revocations.revoke(subject: "bob", of: Fixtures.issuer)
        try await second.revocations.read()
        #expect(await !second.takes(person))
    }

    @Test("An instance that starts later reads every earlier revocation")
    func start() async throws {
        let first = try instance(maximumCount: 2000)
        for number in 0..<1234 {
            try await first.revocations.revoke(tokenID: "token-\(number)", of: Fixtures.issuer)
        }
        let second = try instance(maximumCount: 2000)
        #expect(try await second.revocations.read())
        for number in [0, 499, 500, 1233] {
            #expect(await !second.takes(Fixtures.token { $0["jti"] = .string("token-\(number)") }))
        }
        #expect(await second.takes(Fixtures.token { $0["jti"] = "token-1234" }))
    }

    @Test("A revocation that became visible late, or has a slow clock's time, is still read")
    func late() async throws {
        let (first, second) = (try instance(), try instance())
        try await first.revocations.revoke(tokenID: "token-0", of: Fixtures.issuer)
        clock.advance(by: .seconds(59))
        try await second.revocations.read()
        // Written with the time of a minute ago.
        let before = Fixtures.now
        let slow = SharedRevocations(
            of: RevokedTokens(longestLifetime: .seconds(300), clock: DeviceClock(now: { before })),
            in: store,
            clock: DeviceClock(now: { before })
        )
        try await slow.revoke(tokenID: "token-1", of: Fixtures.issuer)
        try await second.revocations.read()
        #expect(await !second.takes())
    }

    @Test("Only revocations that may be new are read again")
    func overlap() async throws {
        let second = try instance()
        try await second.revocations.read()
        clock.advance(by: .seconds(100))
        try await second.revocations.read()
        try await second.revocations.read()
        let time = Fixtures.now
        #expect(store.starts.all == [.distantPast, time - 60, time + 40])
    }

    @Test("While the store is down known revocations stay, and missed ones are read when it is back")
    func away() async throws {
        let (first, second) = (try instance(), try instance())
        try await first.revocations.revoke(tokenID: "token-1", of: Fixtures.issuer)
        try await second.revocations.read()
        store.isAway = true
        await #expect(throws: StorageFailure.unavailable) { try await second.revocations.read() }
        #expect(await !second.takes())
        await #expect(throws: StorageFailure.unavailable) {
            try await first.revocations.revoke(tokenID: "token-2", of: Fixtures.issuer)
        }
        // A revocation that could not be written holds nowhere: the caller gets the error, and tries again.
        let other = Fixtures.token { $0["jti"] = "token-2" }
        #expect(await first.takes(other))
        store.isAway = false
        try await first.revocations.revoke(tokenID: "token-2", of: Fixtures.issuer)
        store.isAway = true
        clock.advance(by: .seconds(250))
        await #expect(throws: StorageFailure.unavailable) { try await second.revocations.read() }
        store.isAway = false
        try await second.revocations.read()
        #expect(await !second.takes(other))
    }

    @Test("A full shared revocation list reports it, and continues with the newest entries")
    func full() async throws {
        let (first, second) = (try instance(), try instance(maximumCount: 1))
        try await first.revocations.revoke(tokenID: "token-0", of: Fixtures.issuer)
        clock.advance(by: .seconds(300))
        try await first.revocations.revoke(tokenID: "token-1", of: Fixtures.issuer)
        #expect(try await !second.revocations.read())
        clock.advance(by: .seconds(150))
        #expect(try await second.revocations.read())
        let token = Fixtures.token { $0["exp"] = .integer(Fixtures.time + 900) }
        #expect(await !second.takes(token))
    }

    @Test("The revocation list is read every two seconds, and an outage and its end are reported once")
    func run() async throws {
        let first = try instance()
        let second = try instance()
        let task = Task { await second.revocations.run() }
        #expect(await pauses.next() == .seconds(2))
        store.isAway = true
        pauses.end()
        _ = await pauses.next()
        pauses.end()
        _ = await pauses.next()
        #expect(reports.all == [.failed(.unavailable)])
        store.isAway = false
        try await first.revocations.revoke(tokenID: "token-1", of: Fixtures.issuer)
        pauses.end()
        _ = await pauses.next()
        #expect(reports.all == [.failed(.unavailable), .recovered])
        #expect(await !second.takes())
        task.cancel()
        pauses.end()
        await task.value
    }

    @Test("A logout token revokes access tokens at every instance, and fails while the store is down")
    func logout() async throws {
        let (first, second) = (try instance(), try instance())
        let sessions = MemoryServerStore()
        let place = BackChannelLogout(
            verifier: LogoutTokenVerifier(
                keys: try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: clock.device),
                clientID: "app",
                replays: sessions,
                clock: clock.device
            ),
            sessions: sessions,
            revocations: first.revocations
        )
        let token = try Fixtures.key.sign(
            claims: [
                "iss": .string(Fixtures.issuerText), "aud": "app", "iat": .integer(Fixtures.time), "jti": "l-1",
                "exp": .integer(Fixtures.time + 120), "sub": "alice",
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ],
            type: "logout+jwt"
        )
        let request = ServerRequest(
            method: .post,
            fields: [.contentType: "application/x-www-form-urlencoded"],
            body: Array("logout_token=\(token)".utf8)
        )
        store.isAway = true
        #expect(await place.respond(to: request).status == .badRequest)
        #expect(await first.takes())
        store.isAway = false
        #expect(await place.respond(to: request).status == .ok)
        try await second.revocations.read()
        #expect(await !first.takes())
        #expect(await !second.takes())
    }
}

/// A store in memory that can be cut off, and that notes from when on it was read.
private final class SwitchedStore: RevocationStore {
    private let store = MemoryServerStore()
    private let away = Lock(false)
    let starts = Collected<Date>()

    var isAway: Bool {
        get { away.withLock(\.self) }
        set { away.withLock { $0 = newValue } }
    }

    func revoke(_ record: RevocationRecord) async throws(StorageFailure) {
        guard !isAway else { throw .unavailable }
        try await store.revoke(record)
    }

    func revocations(
        since start: Date,
        after last: StoreDigest?,
        limit: Int,
        now: Date
    ) async throws(StorageFailure) -> [RevocationRecord] {
        guard !isAway else { throw .unavailable }
        starts.add(start)
        return try await store.revocations(since: start, after: last, limit: limit, now: now)
    }
}

/// Everything that was added, in its order.
private final class Collected<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])
    var all: [Element] { elements.withLock(\.self) }
    var add: @Sendable (Element) -> Void { { element in self.elements.withLock { $0.append(element) } } }
}

/// Pauses that last until the test ends them.
private final class Pauses: Sendable {
    private let begun = AsyncStream<Duration>.makeStream()
    private let ended = AsyncStream<Void>.makeStream()

    var sleep: @Sendable (Duration) async throws -> Void {
        { duration in
            self.begun.continuation.yield(duration)
            for await _ in self.ended.stream { break }
            try Task.checkCancellation()
        }
    }

    /// Waits for the next pause, and says how long it is to be.
    func next() async -> Duration? {
        for await duration in begun.stream { return duration }
        return nil
    }

    func end() { ended.continuation.yield() }
}
