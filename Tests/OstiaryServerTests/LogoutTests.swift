import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Logout tokens")
struct LogoutTests {
    private let transport = ScriptedTransport()
    private let clock = MovedClock()
    private let store = MemoryServerStore()

    private static let claims: JSONObject = [
        "iss": .string(Fixtures.issuerText), "aud": "app", "sub": "alice", "sid": "session-1", "jti": "logout-1",
        "iat": .integer(Fixtures.time), "exp": .integer(Fixtures.time + 120),
        "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
    ]

    private func token(
        type: String? = "logout+jwt",
        by key: SigningKey = Fixtures.key,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) -> String {
        var claims = Self.claims
        change(&claims)
        return try! key.sign(claims: claims, type: type)
    }

    private func verifier(_ replays: (any ReplayStore)? = nil) throws -> LogoutTokenVerifier {
        LogoutTokenVerifier(
            keys: try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device),
            clientID: "app",
            algorithms: [.es256],
            replays: replays ?? store,
            clock: clock.device
        )
    }

    private func failure(_ token: String, _ replays: (any ReplayStore)? = nil) async throws -> LogoutTokenFailure? {
        let verifier = try verifier(replays)
        do throws(LogoutTokenFailure) {
            _ = try await verifier.verify(Secret(token))
            return nil
        } catch {
            return error
        }
    }

    @Test("A valid logout token names its subject and session, and its replay is rejected")
    func good() async throws {
        let verifier = try verifier()
        let token = try await verifier.verify(Secret(token()))
        #expect(token.subject == "alice" && token.sessionID == "session-1" && token.tokenID == "logout-1")
        #expect(try await failure(self.token()) == .refused(.replayed))
        #expect(try await failure(self.token { $0["jti"] = "logout-2" }) == nil)
    }

    @Test("Many logout tokens of one issuer do not exhaust the room for later ones")
    func room() async throws {
        let replays = MemoryServerStore(replayRoom: 1)
        for number in 1...3 {
            #expect(try await failure(token { $0["jti"] = .string("logout-\(number)") }, replays) == nil)
        }
        #expect(try await failure(token { $0["jti"] = "logout-1" }, replays) == .refused(.replayed))
    }

    @Test("A logout token whose sessions could not be ended can be sent again")
    func endedLater() async throws {
        let verifier = try verifier()
        await #expect(throws: LogoutTokenFailure.storeUnavailable(.locked)) {
            try await verifier.verify(Secret(token())) { (_) throws(StorageFailure) in throw .locked }
        }
        var ended: [LogoutToken] = []
        try await verifier.verify(Secret(token())) { ended.append($0) }
        #expect(ended.map(\.sessionID) == ["session-1"])
        await #expect(throws: LogoutTokenFailure.refused(.replayed)) {
            try await verifier.verify(Secret(token())) { ended.append($0) }
        }
        #expect(ended.count == 1)
    }

    @Test(
        "A logout token may have no typ, and omit its session or its subject",
        arguments: [nil, "JWT", "application/logout+jwt"]
    )
    func types(_ type: String?) async throws {
        #expect(try await failure(token(type: type)) == nil)
        #expect(try await failure(token { ($0["sub"], $0["jti"]) = (nil, "a") }) == nil)
        #expect(try await failure(token { ($0["sid"], $0["jti"]) = (nil, "b") }) == nil)
    }

    @Test(
        "A token of another typ is rejected as a logout token",
        arguments: ["at+jwt", "dpop+jwt", "secevent+jwt", "token-introspection+jwt", ""]
    )
    func otherType(_ type: String) async throws { #expect(try await failure(token(type: type)) == .refused(.type)) }

    @Test(
        "A logout token with a wrong claim is rejected with the claim's check",
        arguments: [
            ("iss", JSONValue.string("https://evil.example"), LogoutTokenFailure.Check.issuer), ("iss", nil, .issuer),
            ("aud", "other", .audience), ("aud", nil, .audience), ("exp", .integer(Fixtures.time - 31), .expiry),
            ("exp", nil, .expiry), ("iat", .integer(Fixtures.time + 31), .issuedAt), ("iat", nil, .issuedAt),
            ("jti", nil, .tokenID), ("jti", "", .tokenID),
            ("jti", .string(String(repeating: "j", count: 513)), .tokenID),
            ("sub", 1, .subject), ("sid", "", .subject), ("events", nil, .events), ("events", [:], .events),
            ("events", ["http://schemas.openid.net/event/backchannel-logout": true], .events),
            ("nonce", "n", .nonce),
        ] as [(String, JSONValue?, LogoutTokenFailure.Check)]
    )
    func claims(_ name: String, _ value: JSONValue?, _ expected: LogoutTokenFailure.Check) async throws {
        #expect(try await failure(token { $0[name] = value }) == .refused(expected))
    }

    @Test("A logout token without sub and sid is rejected")
    func nobody() async throws {
        #expect(try await failure(token { ($0["sub"], $0["sid"]) = (nil, nil) }) == .refused(.subject))
    }

    @Test("A logout token with a wrong form, algorithm, key or signature is rejected")
    func signature() async throws {
        #expect(try await failure("x") == .refused(.form))
        #expect(try await failure(token(by: Fixtures.rsaKey)) == .refused(.algorithm))
        #expect(try await failure(token(by: Fixtures.newKey)) == .refused(.key))
        var parts = token().split(separator: ".")
        parts[1] = token { $0["sub"] = "bob" }.split(separator: ".")[1]
        #expect(try await failure(parts.joined(separator: ".")) == .refused(.signature))
        #expect(
            try await failure(token { $0["x"] = .string(String(repeating: "x", count: 16_384)) }) == .refused(.form)
        )
    }

    @Test("A logout token with another algorithm is rejected before its issuer's keys are read")
    func algorithmFirst() async throws {
        transport.fail(ScriptedTransport.jwks)
        #expect(try await failure(token(by: Fixtures.rsaKey)) == .refused(.algorithm))
    }

    @Test("Without keys or a replay store a logout token's verification is unavailable")
    func unavailable() async throws {
        #expect(try await failure(token(), BrokenReplays()) == .storeUnavailable(.unavailable))
        transport.fail(ScriptedTransport.jwks)
        guard case .keysUnavailable? = try await failure(token()) else {
            Issue.record("The token was judged.")
            return
        }
    }

    // MARK: The place

    private func session(_ name: String, _ subject: String, _ sessionID: String?) async throws {
        _ = try await store.insert(
            ServerSessionRecord(
                id: StoreDigest("test", [name]),
                issuer: Fixtures.issuerText,
                subject: subject,
                sessionID: sessionID,
                keyThumbprint: nil,
                created: Fixtures.now,
                absoluteExpiry: Fixtures.now.addingTimeInterval(1000),
                idleExpiry: Fixtures.now.addingTimeInterval(1000),
                sealed: []
            )
        )
    }

    private func post(_ body: String, type: String = "application/x-www-form-urlencoded") async throws -> ServerResponse
    {
        let place = BackChannelLogout(verifier: try verifier(), sessions: store)
        return await place.respond(
            to: ServerRequest(method: .post, fields: [.contentType: type], body: Array(body.utf8))
        )
    }

    @Test("A logout token ends the named session and no other, and succeeds without one")
    func place() async throws {
        try await session("named", "alice", "session-1")
        try await session("other", "alice", "session-2")
        let response = try await post("logout_token=" + token())
        #expect(response.status == .ok && response.fields[.cacheControl] == "no-store" && response.body.isEmpty)
        #expect(try await store.session(StoreDigest("test", ["named"]), now: Fixtures.now) == nil)
        #expect(try await store.session(StoreDigest("test", ["other"]), now: Fixtures.now) != nil)
        #expect(try await post("logout_token=" + token { $0["jti"] = "again" }).status == .ok)
    }

    @Test(
        "A malformed back-channel logout request is rejected with 400",
        arguments: ["", "logout_token=", "logout_token=x", "logout_token=x&logout_token=y", "token=x", "%"]
    )
    func malformed(_ body: String) async throws {
        let response = try await post(body)
        #expect(response.status == .badRequest)
        #expect(try JSONObject(parsing: response.body)["error"] == "invalid_request")
    }

    @Test("A replayed logout token, or one sent as JSON, ends no session")
    func replayed() async throws {
        _ = try await post("logout_token=" + token())
        try await session("later", "alice", "session-1")
        #expect(try await post("logout_token=" + token()).status == .badRequest)
        #expect(
            try await post("logout_token=" + token { $0["jti"] = "x" }, type: "application/json").status == .badRequest
        )
        #expect(try await store.session(StoreDigest("test", ["later"]), now: Fixtures.now) != nil)
    }
}
