import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Tokens that are taken no more")
struct RevocationTests {
    private let transport = ScriptedTransport()
    private let clock = MovedClock()

    private func list(maximumCount: Int = 100) -> RevokedTokens {
        RevokedTokens(longestLifetime: .seconds(300), maximumCount: maximumCount, clock: clock.device)
    }

    private func resource(_ revoked: RevokedTokens?, tolerance: Duration = .seconds(30)) throws -> ProtectedResource {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device)
        return try ResourceServer(keys: [keys], revoked: revoked, clock: clock.device).resource(
            Fixtures.policy(tolerance: tolerance)
        )
    }

    private func refusal(_ resource: ProtectedResource, _ token: String) async -> Authorization.Refusal.Reason? {
        guard case .refused(let refusal) = await resource.authorize(fields: Fixtures.bearer(token)) else { return nil }
        return refusal.reason
    }

    /// A token that says it was made so many seconds after now.
    private func made(after seconds: Int, changing change: (inout JSONObject) -> Void = { _ in }) -> String {
        Fixtures.token {
            ($0["iat"], $0["exp"]) = (.integer(Fixtures.time + seconds), .integer(Fixtures.time + seconds + 300))
            change(&$0)
        }
    }

    private func session(_ id: String) -> String { Fixtures.token { $0["sid"] = .string(id) } }

    @Test("A revoked token is rejected as invalid, and other tokens are not")
    func single() async throws {
        let revoked = list()
        let resource = try resource(revoked)
        #expect(await refusal(resource, Fixtures.token()) == nil)
        #expect(revoked.revoke(tokenID: "token-1", of: Fixtures.issuer))
        guard case .token(let refusal)? = await refusal(resource, Fixtures.token()) else {
            Issue.record("It was let in, from the cache.")
            return
        }
        #expect(refusal.check == .active && refusal.code == .invalidToken && refusal.status == .unauthorized)
        #expect(await self.refusal(resource, Fixtures.token { $0["jti"] = "token-2" }) == nil)
    }

    @Test("A revoked session's tokens are rejected, and those of the same user's other session are not")
    func sessions() async throws {
        let revoked = list()
        let resource = try resource(revoked)
        revoked.revoke(sessionID: "session-1", of: Fixtures.issuer)
        #expect(await refusal(resource, session("session-1")) != nil)
        #expect(await refusal(resource, session("session-2")) == nil)
        #expect(await refusal(resource, Fixtures.token()) == nil)
    }

    @Test("A revoked user's earlier tokens are rejected, and those of a later sign-in are not")
    func subject() async throws {
        let revoked = list()
        let resource = try resource(revoked)
        revoked.revoke(subject: "alice", of: Fixtures.issuer)
        #expect(await refusal(resource, Fixtures.token()) != nil)
        #expect(await refusal(resource, Fixtures.token { $0["sub"] = "bob" }) == nil)
        clock.advance(by: .seconds(31))
        #expect(await refusal(resource, made(after: 31)) == nil)
    }

    @Test("A revoked token or session is rejected although the issuer's clock is ahead")
    func clockAhead() async throws {
        let revoked = list()
        let resource = try resource(revoked)
        revoked.revoke(tokenID: "token-1", of: Fixtures.issuer)
        #expect(await refusal(resource, made(after: 20)) != nil)
        revoked.revoke(sessionID: "session-1", of: Fixtures.issuer)
        #expect(await refusal(resource, made(after: 20) { ($0["jti"], $0["sid"]) = ("token-2", "session-1") }) != nil)
        clock.advance(by: .seconds(60))
        #expect(await refusal(resource, made(after: 60) { ($0["jti"], $0["sid"]) = ("token-2", "session-1") }) != nil)
    }

    @Test("A revoked user's tokens count as earlier within the policy's clock tolerance")
    func subjectOfClockAhead() async throws {
        let revoked = list()
        let resource = try resource(revoked)
        revoked.revoke(subject: "alice", of: Fixtures.issuer)
        clock.advance(by: .seconds(1))
        #expect(await refusal(resource, made(after: 30)) != nil)
        #expect(await refusal(resource, made(after: 31)) == nil)
    }

    @Test("A revocation at one issuer does not affect another issuer's tokens")
    func issuers() async throws {
        let revoked = list()
        revoked.revoke(tokenID: "token-1", of: try Issuer("https://other.example.com"))
        #expect(await refusal(try resource(revoked), Fixtures.token()) == nil)
    }

    @Test("A revocation is kept for a token's longest lifetime, and a full list reports it")
    func room() async throws {
        let revoked = list(maximumCount: 2)
        #expect(revoked.revoke(tokenID: "token-1", of: Fixtures.issuer))
        #expect(revoked.revoke(tokenID: "token-2", of: Fixtures.issuer))
        #expect(!revoked.revoke(tokenID: "token-3", of: Fixtures.issuer))
        #expect(revoked.revoke(tokenID: "token-2", of: Fixtures.issuer))
        // Made by a clock that is a minute ahead, and taken for a minute after its end.
        clock.advance(by: .seconds(419))
        let tolerant = try self.resource(revoked, tolerance: .seconds(60))
        #expect(await refusal(tolerant, made(after: 60)) != nil)
        clock.advance(by: .seconds(1))
        #expect(revoked.revoke(tokenID: "token-3", of: Fixtures.issuer))
    }

    @Test("A full revocation list rejects every token older than its dropped entries, and no later one")
    func overflow() async throws {
        let revoked = list(maximumCount: 20)
        for number in 0..<20 {
            clock.advance(by: .seconds(1))
            #expect(revoked.revoke(tokenID: "revoked-\(number)", of: Fixtures.issuer))
        }
        let resource = try resource(revoked, tolerance: .zero)
        func isRefused(_ id: String, made seconds: Int) async -> Bool {
            await refusal(resource, made(after: seconds) { $0["jti"] = .string(id) }) != nil
        }
        clock.advance(by: .seconds(1))
        #expect(await !isRefused("good", made: 0))
        #expect(!revoked.revoke(tokenID: "revoked-20", of: Fixtures.issuer))
        // The two oldest gave way, which were revoked after one and two seconds.
        for number in 0...20 { #expect(await isRefused("revoked-\(number)", made: 0)) }
        #expect(await isRefused("revoked-20", made: 20))
        #expect(await isRefused("revoked-2", made: 20))
        #expect(await isRefused("good", made: 2))
        #expect(await !isRefused("good", made: 3))
        // After the time that a token can live nothing stands for them any more.
        clock.advance(by: .seconds(420))
        #expect(await !isRefused("good", made: 200))
    }

    @Test("A logout token also revokes the access tokens of its session or user")
    func logout() async throws {
        let revoked = list()
        let resource = try resource(revoked)
        let store = MemoryServerStore()
        let verifier = LogoutTokenVerifier(
            keys: try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device),
            clientID: "app",
            replays: store,
            clock: clock.device
        )
        let place = BackChannelLogout(verifier: verifier, sessions: store, revoked: revoked)
        func end(_ change: (inout JSONObject) -> Void) async throws {
            var claims: JSONObject = [
                "iss": .string(Fixtures.issuerText), "aud": "app", "iat": .integer(Fixtures.time),
                "exp": .integer(Fixtures.time + 120),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ]
            change(&claims)
            let token = try Fixtures.key.sign(claims: claims, type: "logout+jwt")
            let response = await place.respond(
                to: ServerRequest(
                    method: .post,
                    fields: [.contentType: "application/x-www-form-urlencoded"],
                    body: Array("logout_token=\(token)".utf8)
                )
            )
            #expect(response.status == .ok)
        }
        try await end { ($0["jti"], $0["sub"], $0["sid"]) = ("l-1", "alice", "session-1") }
        #expect(await refusal(resource, session("session-1")) != nil)
        #expect(await refusal(resource, session("session-2")) == nil)
        try await end { ($0["jti"], $0["sub"]) = ("l-2", "alice") }
        #expect(await refusal(resource, session("session-2")) != nil)
    }
}
