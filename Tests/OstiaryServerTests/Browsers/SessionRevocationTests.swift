import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryTesting
import Testing

@testable import OstiaryServer

@Suite("The revocation of an ended session's refresh token", .timeLimit(.minutes(5)))
struct SessionRevocationTests {
    private static let own: HTTPFields = [.origin: "https://app.example.com"]

    @Test("A failed revocation is tried three times in six seconds, and the sign-out does not wait for it")
    func notRevoked() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.fail("/revoke")
        world.network.hold("/revoke")
        let began = world.clock.now
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        #expect(world.events.all.isEmpty)
        world.network.release()
        while world.events.all.isEmpty { await Task.yield() }
        #expect(world.network.count("/revoke") == 3 && world.events.all == [.revocationDelayed])
        #expect(world.clock.now.timeIntervalSince(began) == 6)
    }

    @Test("A terminating process waits for a running revocation, and not for another attempt")
    func settling() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.fail("/revoke")
        world.network.hold("/revoke")
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        let settled = Task { await world.sessions.settle() }
        while !world.sessions.flights.isSettling { await Task.yield() }
        world.network.release()
        await settled.value
        #expect(world.network.count("/revoke") == 1 && world.events.all == [.revocationDelayed])
    }

    @Test("A terminating process does not wait for the time before another attempt of a revocation")
    func pausing() async throws {
        let world = try BrowserWorld()
        try await TestBrowser(world).signIn()
        world.network.fail("/revoke")
        let isPausing = Lock(false)
        let clock = DeviceClock(
            now: { world.clock.now },
            uptime: { world.clock.now.timeIntervalSince1970 },
            sleep: { _ in
                isPausing.withLock { $0 = true }
                try await Task.sleep(for: .seconds(3600))
            }
        )
        let events = EventLog()
        let sessions = try world.restarted(clock: clock, events: events)
        #expect(try await end(of: "alice-subject", in: world, revokingTokensOf: [sessions]) == 1)
        while !isPausing.withLock({ $0 }) { await Task.yield() }
        await sessions.settle()
        #expect(world.network.count("/revoke") == 1 && events.all == [.revocationDelayed])
    }

    private func end(
        of subject: String,
        in world: BrowserWorld,
        revokingTokensOf clients: [ServerSessions]
    ) async throws -> Int {
        try await ServerSessions.endAll(
            of: subject,
            at: Issuer(BrowserWorld.issuer),
            in: world.store,
            revokingTokensOf: clients
        )
    }

    @Test("Sessions that end together are revoked four at a time")
    func bounded() async throws {
        let world = try BrowserWorld()
        let browsers = (0..<6).map { _ in TestBrowser(world) }
        for browser in browsers { try await browser.signIn() }
        world.network.hold("/revoke")
        #expect(await browsers[0].send(world.web.list, .delete, "/", Self.own).status == .noContent)
        while world.network.count("/revoke") < 4 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(world.network.count("/revoke") == 4)
        world.network.release()
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == 6 && world.events.all.isEmpty)
    }

    @Test("A revocation is not retried when Retry-After is more than half a minute")
    func retryAfter() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.script(
            "/revoke",
            EndpointResponse(status: .serviceUnavailable, fields: [.retryAfter: "120"])
        )
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        while world.events.all.isEmpty { await Task.yield() }
        #expect(world.network.count("/revoke") == 1 && world.events.all == [.revocationDelayed])
    }

    // MARK: Stored revocations

    /// A world in which a user has signed out while the issuer's revocation endpoint was away.
    private func delayed() async throws -> BrowserWorld {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.fail("/revoke")
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        while world.events.all.isEmpty { await Task.yield() }
        #expect(world.network.count("/revoke") == 3 && world.events.all == [.revocationDelayed])
        return world
    }

    @Test("A revocation that the issuer has not confirmed is attempted again after a restart of the service, once")
    func restart() async throws {
        let world = try await delayed()
        let token = try #require(world.network.answers("/token").last?["refresh_token"]?.string)
        world.network.fail(nil)
        let events = EventLog()
        let restarted = try world.restarted(events: events)
        world.clock.advance(by: .seconds(59))
        await restarted.revokePending()
        await restarted.settle()
        #expect(world.network.count("/revoke") == 3)
        world.clock.advance(by: .seconds(2))
        await restarted.revokePending()
        await restarted.settle()
        #expect(world.network.count("/revoke") == 4 && events.all.isEmpty)
        #expect(world.network.bodies("/revoke").last?.contains(token) == true)
        world.clock.advance(by: .seconds(100_000))
        await restarted.revokePending()
        await restarted.settle()
        #expect(world.network.count("/revoke") == 4)
    }

    @Test("A service attempts the stored revocations by itself until it is stopped")
    func continuous() async throws {
        let world = try await delayed()
        world.network.fail(nil)
        let restarted = try world.restarted(events: EventLog())
        let retrying = Task { await restarted.revokePendingContinuously() }
        while world.network.count("/revoke") < 4 { await Task.yield() }
        retrying.cancel()
        await retrying.value
        await restarted.settle()
        // Another one that is due waits for the next process.
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.fail("/revoke")
        let reports = world.events.all.count
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        while world.events.all.count == reports { await Task.yield() }
        world.network.fail(nil)
        world.clock.advance(by: .seconds(100))
        let count = world.network.count("/revoke")
        for _ in 0..<1000 { await Task.yield() }
        #expect(world.network.count("/revoke") == count)
        await restarted.revokePending()
        await restarted.settle()
        #expect(world.network.count("/revoke") == count + 1)
    }

    @Test("A revocation that fails for a week is reported as not made, and is not attempted again")
    func abandoned() async throws {
        let world = try await delayed()
        let events = EventLog()
        let restarted = try world.restarted(events: events)
        world.clock.advance(by: .seconds(604_800))
        await restarted.revokePending()
        while events.all.isEmpty { await Task.yield() }
        #expect(events.all == [.notRevoked])
        world.network.fail(nil)
        let count = world.network.count("/revoke")
        world.clock.advance(by: .seconds(4000))
        await restarted.revokePending()
        await restarted.settle()
        #expect(world.network.count("/revoke") == count)
    }

    @Test("An issuer that revokes no refresh tokens is asked once, and the session is reported")
    func unsupported() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let refusal: JSONObject = ["error": "unsupported_token_type"]
        world.network.script(
            "/revoke",
            EndpointResponse(status: .badRequest, fields: [.contentType: "application/json"], body: refusal.encoded())
        )
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
        while world.events.all.isEmpty { await Task.yield() }
        #expect(world.network.count("/revoke") == 1 && world.events.all == [.notRevoked])
        world.clock.advance(by: .seconds(4000))
        await world.sessions.revokePending()
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == 1 && world.events.all == [.notRevoked])
    }

    @Test("A revocation that a retired key has sealed is reported as not made, and one of a missing key stays")
    func retiredKey() async throws {
        let world = try await delayed()
        world.network.fail(nil)
        let events = EventLog()
        world.clock.advance(by: .seconds(61))
        let missing = try world.restarted(sealing: SealingKeys(.random(id: "2")), events: events)
        await missing.revokePending()
        #expect(events.all.isEmpty)
        world.clock.advance(by: .seconds(301))
        let retired = try world.restarted(sealing: SealingKeys(.random(id: "2"), retired: ["1"]), events: events)
        await retired.revokePending()
        #expect(events.all == [.notRevoked])
        world.clock.advance(by: .seconds(301))
        await world.sessions.revokePending()
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == 3)
    }

    @Test("A refresh token is stored for revocation before its session is removed")
    func order() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.store.failSessionChanges(.unavailable)
        let answer = await browser.send(world.web.logout, .post, "/", Self.own)
        #expect(answer.status == .serviceUnavailable && browser.session != nil)
        world.clock.advance(by: .seconds(301))
        await world.sessions.revokePending()
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == 1)
    }

    @Test("The refresh tokens of a sign-out everywhere are revoked after a crash right after the sessions' removal")
    func everywhere() async throws {
        let world = try BrowserWorld()
        let browsers = [TestBrowser(world), TestBrowser(world), TestBrowser(world, isAtOther: true)]
        for browser in browsers { try await browser.signIn() }
        world.store.crashAfterRemovingSessions()
        let answer = await browsers[0].send(world.web.list, .delete, "/", Self.own)
        #expect(answer.status == .serviceUnavailable && world.network.count("/revoke") == 0)
        try await expectRevoked(after: world)
    }

    @Test(
        "The refresh tokens of a back-channel logout are revoked after a crash right after the sessions' removal",
        arguments: [true, false]
    )
    func backChannel(sharesRevocations: Bool) async throws {
        let world = try BrowserWorld()
        for isAtOther in [false, false, true] { try await TestBrowser(world, isAtOther: isAtOther).signIn() }
        world.store.crashAfterRemovingSessions()
        let revoked = RevokedTokens(longestLifetime: .seconds(3600), clock: world.clock.device)
        let clients = [world.sessions, world.otherSessions]
        let verifier = LogoutTokenVerifier(
            keys: world.keys,
            clientID: "web",
            replays: world.store,
            clock: world.clock.device
        )
        let token = LogoutToken(
            issuer: try Issuer(BrowserWorld.issuer),
            subject: "alice-subject",
            sessionID: nil,
            tokenID: "1"
        )
        let shared = SharedRevocations(of: revoked, in: world.store, clock: world.clock.device)
        let endpoint =
            sharesRevocations
            ? BackChannelLogout(
                verifier: verifier,
                sessions: world.store,
                revocations: shared,
                revokingTokensOf: clients
            ) : BackChannelLogout(verifier: verifier, sessions: world.store, revokingTokensOf: clients)
        await #expect(throws: StorageFailure.unavailable) { try await endpoint.end(token) }
        #expect(world.network.count("/revoke") == 0)
        try await expectRevoked(after: world)
    }

    /// Expects that the restarted clients revoke two refresh tokens of the one and one of the other.
    private func expectRevoked(after world: BrowserWorld) async throws {
        let tokens = world.network.answers("/token").compactMap { $0["refresh_token"]?.string }
        #expect(tokens.count == 3)
        world.clock.advance(by: .seconds(301))
        let restarted = try world.restarted(events: EventLog())
        for sessions in [restarted, world.otherSessions] {
            await sessions.revokePending()
            await sessions.settle()
        }
        let sent = world.network.bodies("/revoke")
        #expect(sent.count == 3 && tokens.allSatisfy { token in sent.contains { $0.contains(token) } })
    }

    @Test("An administrator ends every session of a user and revokes their tokens, and no other user's")
    func administrator() async throws {
        let world = try BrowserWorld()
        let browsers = [TestBrowser(world), TestBrowser(world, isAtOther: true), TestBrowser(world, name: "bob")]
        for browser in browsers { try await browser.signIn() }
        let clients = [world.sessions, world.otherSessions]
        let count = try await end(of: "alice-subject", in: world, revokingTokensOf: clients)
        await world.sessions.settle()
        await world.otherSessions.settle()
        #expect(count == 2 && world.network.count("/revoke") == 2)
        #expect(await browsers[0].send(world.web.session).status == .unauthorized)
        #expect(await browsers[2].send(world.web.session).status == .ok)
    }

    @Test("An ended session that a retired or missing key has sealed is reported as not made, and no other client's")
    func endedWithoutKey() async throws {
        for retired: Set<String> in [["1"], []] {
            let keys = SealingKeys(try .random(id: "2"), retired: retired)
            let world = try BrowserWorld()
            try await TestBrowser(world).signIn()
            let events = EventLog()
            let sessions = try world.restarted(sealing: keys, events: events)
            #expect(try await end(of: "alice-subject", in: world, revokingTokensOf: [sessions]) == 1)
            #expect(events.all == [.notRevoked])
            try await TestBrowser(world, isAtOther: true).signIn()
            let clients = [sessions, world.otherSessions]
            #expect(try await end(of: "alice-subject", in: world, revokingTokensOf: clients) == 1)
            for client in clients { await client.settle() }
            #expect(events.all == [.notRevoked] && world.network.count("/revoke") == 1)
        }
    }

    // MARK: An endpoint that fails

    @Test("After a revocation timed out, the next ones wait in the store, until one succeeds")
    func heldOff() async throws {
        let world = try BrowserWorld()
        let browsers = (0..<3).map { _ in TestBrowser(world) }
        for browser in browsers { try await browser.signIn() }
        world.network.fail("/revoke", .timedOut)
        for (index, browser) in browsers.enumerated() {
            #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
            while world.events.all.count <= index { await Task.yield() }
        }
        #expect(world.network.count("/revoke") == 3)
        #expect(world.events.all == Array(repeating: .revocationDelayed, count: 3))
        await world.sessions.revokePending()
        #expect(world.network.count("/revoke") == 3)
        world.network.fail(nil)
        world.clock.advance(by: .seconds(61))
        await world.sessions.revokePending()
        await world.sessions.settle()
        // The end of the process may leave some as they were claimed, for five minutes.
        world.clock.advance(by: .seconds(301))
        let restarted = try world.restarted(events: world.events)
        await restarted.revokePending()
        await restarted.settle()
        let tokens = world.network.answers("/token").compactMap { $0["refresh_token"]?.string }
        let sent = world.network.bodies("/revoke").dropFirst(3)
        #expect(tokens.count == 3 && tokens.allSatisfy { token in sent.contains { $0.contains(token) } })
    }

    @Test("A revocation that was not attempted is due a minute after another one failed, however old it is")
    func putOff() async throws {
        let world = try BrowserWorld()
        let browsers = (0..<2).map { _ in TestBrowser(world) }
        for browser in browsers { try await browser.signIn() }
        world.network.fail("/revoke")
        for (index, browser) in browsers.enumerated() {
            #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .ok)
            while world.events.all.count <= index { await Task.yield() }
        }
        world.clock.advance(by: .seconds(40_000))
        world.network.fail(nil)
        world.network.hold("/revoke")
        let sent = world.network.count("/revoke")
        await world.sessions.revokePending()
        while world.events.all.count < 3 || world.network.count("/revoke") == sent { await Task.yield() }
        #expect(world.network.count("/revoke") == sent + 1)
        world.network.release()
        await world.sessions.settle()
        world.clock.advance(by: .seconds(61))
        await world.sessions.revokePending()
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == sent + 2)
    }

    @Test("An endpoint that asks for two minutes gets at most four revocations of many, and the others stay stored")
    func askedToWait() async throws {
        let world = try BrowserWorld()
        let browsers = (0..<9).map { _ in TestBrowser(world) }
        for browser in browsers { try await browser.signIn() }
        world.network.script("/revoke", EndpointResponse(status: .tooManyRequests, fields: [.retryAfter: "120"]))
        #expect(await browsers[0].send(world.web.list, .delete, "/", Self.own).status == .noContent)
        while world.events.all.count < 9 { await Task.yield() }
        #expect((1...4).contains(world.network.count("/revoke")))
        #expect(world.events.all == Array(repeating: .revocationDelayed, count: 9))
    }

    // MARK: The end of the attempts

    @Test(
        "A revocation whose week ended while the service was stopped is attempted once more, and reported if it fails"
    )
    func expired() async throws {
        for fails in [true, false] {
            let world = try await delayed()
            if !fails { world.network.fail(nil) }
            world.clock.advance(by: .seconds(700_000))
            // The cleaning may come first.
            _ = try await world.store.removeExpired(limit: 500, now: world.clock.now)
            let events = EventLog()
            let restarted = try world.restarted(events: events)
            await restarted.revokePending()
            if fails { while events.all.isEmpty { await Task.yield() } }
            await restarted.settle()
            #expect(events.all == (fails ? [.notRevoked] : []))
            let count = world.network.count("/revoke")
            #expect(fails ? count > 3 : count == 4)
            world.clock.advance(by: .seconds(4000))
            await restarted.revokePending()
            await restarted.settle()
            #expect(world.network.count("/revoke") == count)
        }
    }

    @Test(
        "Several revocations whose week ended while the service was stopped are each attempted, also after failures"
    )
    func severalExpired() async throws {
        let world = try BrowserWorld()
        let browsers = (0..<6).map { _ in TestBrowser(world) }
        for browser in browsers { try await browser.signIn() }
        world.network.fail("/revoke")
        #expect(await browsers[0].send(world.web.list, .delete, "/", Self.own).status == .noContent)
        while world.events.all.count < 6 { await Task.yield() }
        world.network.fail(nil)
        world.network.script("/revoke", EndpointResponse(status: .serviceUnavailable, fields: [.retryAfter: "50"]))
        world.clock.advance(by: .seconds(700_000))
        let events = EventLog()
        let restarted = try world.restarted(events: events)
        let tried = world.network.count("/revoke")
        await restarted.revokePending()
        while events.all.count < 6 { await Task.yield() }
        // Those that were attempted have had their last attempt; the others wait.
        let failed = world.network.count("/revoke") - tried
        #expect((1...4).contains(failed) && events.all.count { $0 == .notRevoked } == failed)
        world.network.script(nil)
        let sent = world.network.count("/revoke")
        for _ in 0..<6 {
            world.clock.advance(by: .seconds(301))
            await restarted.revokePending()
            await restarted.settle()
        }
        #expect(world.network.count("/revoke") - sent == 6 - failed)
        #expect(events.all.count { $0 == .notRevoked } == failed)
    }

    @Test("A revocation whose key is missing for a week is reported as not made")
    func keyMissingForAWeek() async throws {
        let world = try await delayed()
        let events = EventLog()
        let missing = try world.restarted(sealing: SealingKeys(.random(id: "2")), events: events)
        world.clock.advance(by: .seconds(604_000))
        await missing.revokePending()
        #expect(events.all.isEmpty)
        world.clock.advance(by: .seconds(900))
        await missing.revokePending()
        await missing.revokePending()
        #expect(events.all == [.notRevoked])
    }

    @Test("A stored revocation that waits in the queue is not added again, and is after it was taken from it")
    func duplicate() {
        let queue = RevocationQueue()
        let stored = PendingRevocation(
            name: StoreDigest("refresh token", ["1"]),
            client: StoreDigest("client", ["1"]),
            sealed: [],
            created: Fixtures.now,
            due: Fixtures.now,
            expiry: Fixtures.now
        )
        let entry = RevocationQueue.Entry(token: Secret("1"), stored: stored)
        for _ in 0..<2 {
            _ = queue.add(entry)
            _ = queue.add(entry)
            #expect(queue.count == 1)
            _ = queue.next()
            #expect(queue.count == 0)
        }
        _ = queue.add(entry)
        #expect(queue.removeAll().count == 1)
        _ = queue.add(entry)
        #expect(queue.count == 1)
    }
}
