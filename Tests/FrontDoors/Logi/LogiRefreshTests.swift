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

@Suite("logi: how long a backend's session lasts, and what a failed refresh leaves of it", .timeLimit(.minutes(5)))
struct LogiRefreshTests {
    private let world: LogiWorld
    private let partner: LogiPartner
    private let handle: String

    init() async throws {
        world = try LogiWorld { $0.lifetimes.accessToken = .seconds(3600) }
        partner = try LogiPartner(world, lifetimes: .init(absolute: .seconds(86_400), idle: .seconds(1800)))
        let callback = try await world.logi(opener: world.nativeApp()).authorize(try await partner.start())
        handle = try #require(try await partner.finish(callback).object["session"]?.string)
    }

    private func token(_ session: ServerSession) async -> Result<Secret, SignInError> {
        do throws(SignInError) { return .success(try await partner.backend.sessions.accessToken(of: session)) } catch {
            return .failure(error)
        }
    }

    /// Lets time go by, in which the session is used now and then.
    private func live(for time: Duration) async throws {
        var left = time
        while left > .zero {
            world.clock.advance(by: min(left, .seconds(1200)))
            left -= .seconds(1200)
            _ = try await partner.session(handle)
        }
    }

    /// The number of times that a refresh token was presented.
    private var shown: Int { world.network.count(path: "/oauth/token") - 1 }

    @Test("A backend session expires when it is idle, and not while it is used", .covers(.logi, rows: 58))
    func idle() async throws {
        try await live(for: .seconds(10_000))
        world.clock.advance(by: .seconds(1801))
        let ended = await #expect(throws: SessionRefusal.self) { try await partner.session(handle) }
        #expect(ended?.reason == .ended)
    }

    @Test("A backend session ends after a day, however often it is used", .covers(.logi, rows: 58))
    func absolute() async throws {
        try await live(for: .seconds(86_399))
        world.clock.advance(by: .seconds(1))
        let ended = await #expect(throws: SessionRefusal.self) { try await partner.session(handle) }
        #expect(ended?.reason == .ended)
    }

    @Test("A stored session with another subject is reported as corrupted", .covers(.logi, rows: 58))
    func changedSubject() async throws {
        try await change { $0.changed(subject: "somebody else") }
        let refused = await #expect(throws: SessionRefusal.self) { try await partner.session(handle) }
        #expect(refused?.reason == .storeUnavailable(.corrupted))
    }

    @Test("A stored session with a later end or beginning is reported as corrupted", arguments: [(1.0, 0.0), (0, 1)])
    func changedTimes(end: Double, beginning: Double) async throws {
        try await change { $0.changed(endingLater: end, begunLater: beginning) }
        let refused = await #expect(throws: SessionRefusal.self) { try await partner.session(handle) }
        #expect(refused?.reason == .storeUnavailable(.corrupted))
    }

    @Test("A session in a store that rounds times to a millisecond is used, also after a refresh")
    func roundedTimes() async throws {
        try await change { $0.changed(endingLater: 0.001, begunLater: 0.001) }
        let session = try await partner.session(handle)
        try await live(for: .seconds(3700))
        _ = try await token(session).get()
        _ = try await partner.session(handle)
    }

    /// Changes the stored session as an attacker does who can write to the store.
    private func change(_ changed: (ServerSessionRecord) -> ServerSessionRecord) async throws {
        let now = world.clock.now
        let old = try #require(try await partner.store.session(partner.id(of: handle), now: now))
        let record = changed(old)
        #expect(try await partner.store.replace(with: record, now: now))
    }

    @Test(
        "Without keys for a refreshed ID token the new refresh token is kept, and the tokens are not used",
        .covers(.logi, rows: 32, 58)
    )
    func newKeyUnreachable() async throws {
        let session = try await partner.session(handle)
        let old = try await partner.backend.sessions.accessToken(of: session)
        try await live(for: .seconds(3700))
        try await world.provider.rotateSigningKeys()
        let clock = world.clock
        let end = clock.now.addingTimeInterval(600)
        partner.wire.answer { request in
            guard request.url.path() == "/.well-known/jwks.json", clock.now < end else { return nil }
            return EndpointResponse(status: .serviceUnavailable)
        }
        #expect(await token(session) == .failure(SignInError(.keys, .server(status: 503))))
        #expect(shown == 1)
        world.clock.advance(by: .seconds(600))
        let renewed = try await token(session).get()
        #expect(renewed != old && shown == 2)
        #expect(partner.renewals.all == [.failed, .renewed])
    }

    /// The outcomes of a refresh whose ID token was changed, and of the next two, a minute after each other.
    private func refreshes(changing name: String, to value: JSONValue) async throws -> (
        ends: [SignInError?], shown: Int, renewals: LogiPartner.Renewals
    ) {
        let isOn = Lock(false)
        let scenario = Scenario(name: "changed") {
            $0.idToken = { token in
                let isFirst = isOn.withLock { isOn in
                    defer { isOn = false }
                    return isOn
                }
                if isFirst { token.claims[name] = value }
            }
        }
        let world = try LogiWorld(scenario: scenario) { $0.lifetimes.accessToken = .seconds(600) }
        let partner = try LogiPartner(world)
        let callback = try await world.logi(opener: world.nativeApp()).authorize(try await partner.start())
        let handle = try #require(try await partner.finish(callback).object["session"]?.string)
        let session = try await partner.session(handle)
        world.clock.advance(by: .seconds(700))
        isOn.withLock { $0 = true }
        let before = world.network.count(path: "/oauth/token")
        var ends: [SignInError?] = []
        for _ in 0..<2 {
            do throws(SignInError) {
                _ = try await partner.backend.sessions.accessToken(of: session)
                ends.append(nil)
            } catch {
                ends.append(error)
            }
            world.clock.advance(by: .seconds(61))
        }
        return (ends, world.network.count(path: "/oauth/token") - before, partner.renewals)
    }

    @Test(
        "Failed checks double the pause before the next refresh, and a passed check resets it",
        .covers(.logi, rows: 58)
    )
    func holdOff() async throws {
        let isOn = Lock(true)
        let scenario = Scenario(name: "changed") {
            $0.tokenResponse = { response, type in
                if type == .refreshToken, isOn.withLock({ $0 }) { response["token_type"] = "mac" }
            }
        }
        let world = try LogiWorld(scenario: scenario) { $0.lifetimes.accessToken = .seconds(600) }
        let partner = try LogiPartner(world)
        let callback = try await world.logi(opener: world.nativeApp()).authorize(try await partner.start())
        let handle = try #require(try await partner.finish(callback).object["session"]?.string)
        let session = try await partner.session(handle)
        world.clock.advance(by: .seconds(700))
        let before = world.network.count(path: "/oauth/token")
        func shown() -> Int { world.network.count(path: "/oauth/token") - before }
        func failure() async -> SignInError? {
            do throws(SignInError) {
                _ = try await partner.backend.sessions.accessToken(of: session)
                return nil
            } catch {
                return error
            }
        }
        // The first failure is free.
        #expect(await failure()?.retryAfter == nil && shown() == 1)
        #expect(await failure()?.retryAfter == nil && shown() == 2)
        // The pause is half a second to a second, then one to two.
        let held = await failure()
        #expect(shown() == 2 && (.milliseconds(500) ... .seconds(1)).contains(held?.retryAfter ?? .zero))
        world.clock.advance(by: .seconds(1))
        #expect(await failure() != nil && shown() == 3)
        let longer = await failure()
        #expect(shown() == 3 && (.seconds(1) ... .seconds(2)).contains(longer?.retryAfter ?? .zero))
        isOn.withLock { $0 = false }
        world.clock.advance(by: .seconds(2))
        #expect(await failure() == nil && shown() == 4)
        world.clock.advance(by: .seconds(700))
        isOn.withLock { $0 = true }
        #expect(await failure()?.retryAfter == nil && shown() == 5)
        #expect(await failure() != nil && shown() == 6)
    }

    @Test(
        "A refreshed ID token from the future fails the check, and its refresh token is used by the next refresh",
        .covers(.logi, rows: 32, 58)
    )
    func notYetGood() async throws {
        let later = TestClock().now.timeIntervalSince1970 + 86_400
        let (ends, shown, _) = try await refreshes(changing: "iat", to: .integer(Int(later)))
        #expect(ends == [SignInError(.identity, .mismatch(.issuedAt)), nil] && shown == 2)
    }

    @Test(
        "A refresh response that fails a check leaves its refresh token for the next refresh, and its check is reported",
        .covers(.logi, rows: 32, 58),
        arguments: [("aud", "other", .audience), ("auth_time", 1, .authenticationTime), ("nonce", "other", .nonce)]
            as [(String, JSONValue, SignInError.Check)]
    )
    func failedCheck(_ claim: String, _ value: JSONValue, _ check: SignInError.Check) async throws {
        let (ends, shown, renewals) = try await refreshes(changing: claim, to: value)
        #expect(ends == [SignInError(.identity, .mismatch(check)), nil] && shown == 2)
        #expect(renewals.all == [.unusable, .failed, .renewed])
        #expect(renewals.failures.map(\.check) == [check] && renewals.failures.first?.found != nil)
    }

    @Test("A later auth_time extends a backend's session", .covers(.logi, rows: 32))
    func laterAuthenticationTime() async throws {
        let later = TestClock().now.timeIntervalSince1970 + 600
        let (ends, shown, _) = try await refreshes(changing: "auth_time", to: .integer(Int(later)))
        #expect(ends == [nil, nil] && shown == 1)
    }

    @Test(
        "A refresh response for another user is discarded, and its refresh token is not sent again",
        .covers(.logi, rows: 32, 58)
    )
    func somebodyElse() async throws {
        let (ends, shown, renewals) = try await refreshes(changing: "sub", to: "bob-subject")
        #expect(ends == [SignInError(.identity, .mismatch(.subject)), SignInError(.refresh, .signInRequired)])
        #expect(shown == 1 && renewals.all == [.unusable, .lost])
        #expect(renewals.failures.map(\.check) == [.subject])
    }

    @Test(
        "A failure that proves the refresh token unused leaves the session as it was",
        .covers(.logi, rows: 32, 58),
        arguments: [
            EndpointResponse(status: .serviceUnavailable), EndpointResponse(status: .tooManyRequests),
            EndpointResponse(
                status: .serviceUnavailable,
                fields: [.contentType: "application/json"],
                body: Array(#"{"error":"temporarily_unavailable"}"#.utf8)
            ),
            // As a content delivery network answers while the issuer is in maintenance.
            EndpointResponse(status: .found, fields: [.location: "https://status.example.com/"]),
            EndpointResponse(status: .temporaryRedirect, fields: [.location: "https://api.example.com/oauth/token"]),
        ]
    )
    func unused(answer: EndpointResponse) async throws {
        let session = try await partner.session(handle)
        try await live(for: .seconds(3700))
        let once = LogiOnce(answer)
        partner.wire.answer { $0.url.path() == "/oauth/token" ? once.take() : nil }
        guard case .failure = await token(session) else {
            Issue.record("The refresh failed.")
            return
        }
        world.clock.advance(by: .seconds(1))
        #expect(try await token(session).get().isEmpty == false)
    }

    @Test(
        "A refresh token that a server may have used before it failed is not presented again, and the session ends at once",
        .covers(.logi, rows: 58),
        arguments: [
            EndpointResponse(
                status: .internalServerError,
                fields: [.contentType: "application/json"],
                body: Array(#"{"error":"server_error"}"#.utf8)
            ),
            // As a gateway answers for a server that did not.
            EndpointResponse(status: .internalServerError), EndpointResponse(status: .badGateway),
            EndpointResponse(status: .gatewayTimeout),
        ]
    )
    func serverError(answer: EndpointResponse) async throws {
        let session = try await partner.session(handle)
        try await live(for: .seconds(3700))
        let once = LogiOnce(answer)
        partner.wire.answer { $0.url.path() == "/oauth/token" ? once.take() : nil }
        guard case .failure = await token(session) else {
            Issue.record("The refresh failed.")
            return
        }
        // No caller waits for the lease.
        let uptime = world.clock.now
        #expect(await token(session) == .failure(SignInError(.refresh, .signInRequired)))
        #expect(world.clock.now == uptime)
        #expect(shown == 0 && partner.renewals.all == [.lost])
    }

    @Test(
        "After a lost refresh an access token is handed out until it expires",
        .covers(.logi, rows: 32, 58)
    )
    func lostWhileGood() async throws {
        let session = try await partner.session(handle)
        let old = try await partner.backend.sessions.accessToken(of: session)
        try await live(for: .seconds(3500))
        let once = LogiOnce(EndpointResponse(status: .badGateway))
        partner.wire.answer { $0.url.path() == "/oauth/token" ? once.take() : nil }
        for _ in 0..<2 {
            #expect(await token(session) == .success(old))
            world.clock.advance(by: .seconds(30))
        }
        world.clock.advance(by: .seconds(50))
        #expect(await token(session) == .failure(SignInError(.refresh, .signInRequired)))
        #expect(shown == 0 && partner.renewals.all == [.stale, .stale, .lost])
    }

    @Test("An access token that cannot be refreshed is handed out until it expires", .covers(.logi, rows: 32))
    func stale() async throws {
        let session = try await partner.session(handle)
        let old = try await partner.backend.sessions.accessToken(of: session)
        try await live(for: .seconds(3590))
        for call in 1...2 { world.network.lose(call: call, to: "/oauth/token", .beforeProcessing, with: .unreachable) }
        #expect(await token(session) == .success(old))
        world.clock.advance(by: .seconds(6))
        #expect(await token(session) == .failure(SignInError(.refresh, .transport(.unreachable))))
        world.clock.advance(by: .seconds(1))
        #expect(try await token(session).get() != old)
        #expect(partner.renewals.all == [.stale, .failed, .renewed])
    }

    @Test("A refresh rejected with invalid_grant ends the backend session", .covers(.logi, rows: 32, 58))
    func ended() async throws {
        let session = try await partner.session(handle)
        try await live(for: .seconds(3700))
        let refused = EndpointResponse(
            status: .badRequest,
            fields: [.contentType: "application/json"],
            body: Array(#"{"error":"invalid_grant"}"#.utf8)
        )
        partner.wire.answer { $0.url.path() == "/oauth/token" ? refused : nil }
        guard case .failure = await token(session) else {
            Issue.record("The refresh failed.")
            return
        }
        #expect(partner.renewals.all == [.ended])
        await #expect(throws: SessionRefusal.self) { try await partner.session(handle) }
    }
}

extension ServerSessionRecord {
    /// The next version of a record with other values.
    fileprivate func changed(
        subject: String? = nil,
        endingLater: Double = 0,
        begunLater: Double = 0
    ) -> ServerSessionRecord {
        ServerSessionRecord(
            id: id,
            issuer: issuer,
            subject: subject ?? self.subject,
            sessionID: sessionID,
            keyThumbprint: keyThumbprint,
            created: created.addingTimeInterval(begunLater),
            absoluteExpiry: absoluteExpiry.addingTimeInterval(endingLater),
            idleExpiry: idleExpiry,
            sealed: sealed,
            version: version + 1
        )
    }
}
