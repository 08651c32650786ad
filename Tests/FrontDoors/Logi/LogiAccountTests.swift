import Foundation
import HTTPTypes
import Ostiary
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("An account with logi: merging, linking, disconnecting")
struct LogiAccountTests {
    private struct Caller {
        let world: LogiWorld
        let logi: Logi
        let session: Session
        let key: LogiAccessKey
    }

    private func caller(_ options: LogiDialect.Options = .init(), scopes: [Scope]? = nil) async throws -> Caller {
        let world = try LogiWorld(options: options)
        let logi = try world.logi()
        let session = try await logi.signIn(scopes: scopes)
        return Caller(
            world: world,
            logi: logi,
            session: session,
            key: try await logi.deviceExchange().key(for: session, on: .iOS)
        )
    }

    private func anonymous(_ options: LogiDialect.Options = .init()) async throws -> (LogiWorld, Logi, LogiAccessKey) {
        let world = try LogiWorld(options: options)
        let logi = try world.logi()
        return (world, logi, try await logi.anonymousDevice().bootstrap(on: .iOS).key)
    }

    private static let identity = LogiForeignIdentity(
        provider: "apple",
        token: Secret("an.apple.token"),
        rawNonce: Secret("a nonce")
    )

    private func code(_ error: SignInError?) -> String? {
        guard case .refused(let refusal) = error?.reason else { return nil }
        return refusal.code.rawValue
    }

    // MARK: - Merging

    @Test(
        "A merge ticket expires after five minutes, and one idempotency key returns one ticket",
        .covers(.logi, rows: 46)
    )
    func ticket() async throws {
        let caller = try await caller()
        let first = try await caller.logi.mergeTicket(with: caller.key, idempotencyKey: "once")
        #expect(first.token.reveal().hasPrefix("ltgt_"))
        #expect(first.expiry == caller.world.clock.now.addingTimeInterval(300))
        #expect(try await caller.logi.mergeTicket(with: caller.key, idempotencyKey: "once") == first)
        #expect(try await caller.logi.mergeTicket(with: caller.key).token != first.token)
        #expect(
            caller.world.wire.bodies(to: "/api/v1/me/merge/session-token").map(\.names) == [
                ["idempotency_key"], ["idempotency_key"], [],
            ]
        )
    }

    @Test("An account is merged with another session's ticket, once", .covers(.logi, rows: 46))
    func mergeWithTicket() async throws {
        let caller = try await caller()
        let jun = try caller.world.logi(
            browser: LogiBrowser(caller.world.network, caller.world.clock, "jun"),
            store: MemoryStore()
        )
        let key = try await jun.deviceExchange().key(for: try await jun.signIn(), on: .iOS)
        let ticket = try await jun.mergeTicket(with: key)
        let merge = try await caller.logi.merge(.ticket(ticket.token), with: caller.key)
        #expect(merge.primaryUserID == 1 && merge.linkedUserID == 2 && merge.reason == .sessionToken)
        let again = await thrownError { () async throws(SignInError) in
            _ = try await caller.logi.merge(.ticket(ticket.token), with: caller.key)
        }
        #expect(code(again) == "token_consumed")
        let late = try await jun.mergeTicket(with: key)
        caller.world.clock.advance(by: .seconds(301))
        let expired = await thrownError { () async throws(SignInError) in
            _ = try await caller.logi.merge(.ticket(late.token), with: caller.key)
        }
        #expect(code(expired) == "token_expired")
    }

    @Test(
        "An account is merged with a one-time code; with itself, or with a wrong code, it is not",
        .covers(.logi, rows: 46, 56)
    )
    func mergeWithCode() async throws {
        let caller = try await caller()
        func failure(_ proof: LogiMergeProof) async -> SignInError? {
            await thrownError { () async throws(SignInError) in _ = try await caller.logi.merge(proof, with: caller.key)
            }
        }
        let own = await failure(.oneTimeCode(Secret("424242"), userID: 1))
        #expect(code(own) == "self_merge_forbidden" && own?.stage == .userInfo)
        #expect(own?.requestID?.hasPrefix("req_") == true)
        #expect(code(await failure(.oneTimeCode(Secret("000000"), userID: 2))) == "invalid_token")
        #expect(code(await failure(.ticket(Secret("ltgt_unknown")))) == "invalid_token")
        let merge = try await caller.logi.merge(.oneTimeCode(Secret("424242"), userID: 2), with: caller.key)
        #expect(merge.reason == .oneTimeCode && merge.linkID > 0)
        let sent = try #require(caller.world.wire.bodies(to: "/api/v1/me/merge").last)
        #expect(sent.names == ["target_user_id", "otp_code"] && sent["target_user_id"]?.integer == 2)
    }

    @Test("Without a proof, or with two, the server merges nothing", .covers(.logi, rows: 46))
    func proofs() async throws {
        let caller = try await caller()
        for (text, expected) in [
            ("{}", OAuthError.Code.missingCredentials.rawValue),
            (#"{"otp_code":"424242"}"#, "missing_credentials"),
            (
                #"{"target_user_id":2,"otp_code":"424242","target_session_token":"ltgt_x"}"#,
                OAuthError.Code.conflictingCredentials.rawValue
            ),
        ] {
            let request = EndpointRequest(
                url: try #require(URL(string: "https://api.1pass.dev/api/v1/me/merge")),
                method: .post,
                fields: [.authorization: "Bearer " + caller.key.value.reveal()],
                content: .init(mediaType: "application/json", bytes: Array(text.utf8))
            )
            let response = try await caller.world.network.send(request)
            #expect(response.status == .unprocessableContent)
            #expect(try JSONObject(parsing: response.body)["error"]?.string == expected)
        }
    }

    @Test(
        "A merge whose answer lacks a member is malformed",
        .covers(.logi, rows: 46),
        arguments: [
            ("{}", "ok"), (#"{"ok":true}"#, "identity_link_id"),
            (#"{"ok":true,"identity_link_id":1,"primary_user_id":1,"linked_user_id":2}"#, "merged_via"),
        ]
    )
    func malformedMerge(text: String, part: String) async throws {
        let world = try LogiWorld()
        world.wire.answer { _ in
            EndpointResponse(fields: [.contentType: "application/json"], body: Array(text.utf8))
        }
        let logi = try world.logi()
        #expect(
            await thrownError { () async throws(SignInError) in
                _ = try await logi.merge(.ticket(Secret("t")), with: LogiAccessKey(Secret("k")))
            } == SignInError(.userInfo, .malformed(part))
        )
    }

    @Test(
        "A device key with an invalid form is not sent",
        .covers(.logi, rows: 46),
        arguments: ["", "a b", "a\r\nb: c", "é"]
    )
    func badKey(key: String) async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        #expect(
            await thrownError { () async throws(SignInError) in
                _ = try await logi.mergeTicket(with: LogiAccessKey(Secret(key)))
            } == SignInError(.userInfo, .configuration("The access key has characters that no key has."))
        )
        #expect(world.wire.requests.isEmpty)
    }

    // MARK: - Identities of other systems

    @Test("An identity of another system is linked, unless another account owns it", .covers(.logi, rows: 46))
    func connect() async throws {
        let options = LogiDialect.Options(
            takenIdentities: ["juns.token": "5b7e9d31-jun"],
            takenEmails: ["linked.elsewhere"]
        )
        let caller = try await caller(options)
        try await caller.logi.connect(Self.identity, with: caller.key)
        func failure(_ token: String) async -> SignInError? {
            var identity = Self.identity
            identity.token = Secret(token)
            let sent = identity
            return await thrownError { () async throws(SignInError) in
                try await caller.logi.connect(sent, with: caller.key)
            }
        }
        #expect(code(await failure("juns.token")) == OAuthError.Code.identityOwnedByAnotherAccount.rawValue)
        #expect(code(await failure("linked.elsewhere")) == OAuthError.Code.emailLinkedToOtherAppleAccount.rawValue)
        let body = try #require(caller.world.wire.bodies(to: "/api/v1/me/connected_identities").first)
        #expect(body.names == ["provider", "identity_token", "raw_nonce"])
    }

    @Test(
        "An anonymous account is replaced by the account that owns the linked identity",
        .covers(.logi, rows: 44, 46, 53)
    )
    func swap() async throws {
        let options = LogiDialect.Options(takenIdentities: ["an.apple.token": "5b7e9d31-jun"])
        let (world, logi, key) = try await anonymous(options)
        let device = logi.anonymousDevice()
        let swap = try await logi.swapAnonymous(for: Self.identity, with: key, on: device, options: ["keep": "all"])
        #expect(swap.userID == 2 && swap.statistics["left_user_id"]?.integer != nil)
        #expect(world.wire.bodies(to: "/api/v1/me/anonymous_swap").first?["merge_options"] == ["keep": "all"])
        let now = try await device.bootstrap(on: .iOS)
        #expect(now.userID == 2)
        let old = await thrownError { () async throws(SignInError) in _ = try await logi.mergeTicket(with: key) }
        #expect(code(old) == "invalid_token")
    }

    @Test("An account with a name is not swapped", .covers(.logi, rows: 46))
    func namedSwap() async throws {
        let caller = try await caller()
        let device = caller.logi.anonymousDevice()
        let error = await thrownError { () async throws(SignInError) in
            _ = try await caller.logi.swapAnonymous(for: Self.identity, with: caller.key, on: device)
        }
        #expect(code(error) == OAuthError.Code.nonAnonymousCaller.rawValue)
    }

    // MARK: - Disconnecting

    @Test(
        "Disconnecting ends tokens and keys at the server, and then the session here",
        .covers(.logi, rows: 42)
    )
    func disconnect() async throws {
        let caller = try await caller(scopes: LogiPreset.scopes + [.profileWrite])
        let stranger = try caller.world.logi(store: MemoryStore())
        let elsewhere = try await stranger.signIn()
        try await caller.logi.signOut(caller.session, .disconnecting(caller.key))
        let path = "/api/v1/me/connected_apps/" + LogiDevelopment.clientID
        let request = try #require(caller.world.wire.requests(to: path).first)
        #expect(request.method == .delete && request.limits.deadline == .seconds(15) && request.body == nil)
        #expect(caller.session.end == .userAction)
        #expect(try await caller.logi.restoreSession() == nil)
        #expect(
            await thrownError { () async throws(SignInError) in try await elsewhere.refresh() }?.endsSession == true
        )
        let dead = await thrownError { () async throws(SignInError) in
            _ = try await caller.logi.mergeTicket(with: caller.key)
        }
        #expect(code(dead) == "invalid_token")
    }

    @Test(
        "An app that is not connected counts as disconnected; any other failure keeps the session",
        .covers(.logi, rows: 42),
        arguments: [404, 401, 403, 500, 503]
    )
    func disconnectFailures(status: Int) async throws {
        let caller = try await caller()
        caller.world.wire.answer { request in
            request.method == .delete ? EndpointResponse(status: .init(code: status)) : nil
        }
        let error = await thrownError { () async throws(SignInError) in
            _ = try await caller.logi.signOut(caller.session, .disconnecting(caller.key))
        }
        if status == 404 {
            #expect(error == nil && caller.session.end == .userAction)
        } else {
            #expect(error == SignInError(.revocation, .server(status: status)))
            #expect(caller.session.end == nil)
            #expect(try await caller.logi.restoreSession() != nil)
        }
    }

    @Test(
        "A device key without profile:write, or a lost request, disconnects nothing",
        .covers(.logi, rows: 42)
    )
    func weakKey() async throws {
        let caller = try await caller()
        func failure() async -> SignInError? {
            await thrownError { () async throws(SignInError) in
                _ = try await caller.logi.signOut(caller.session, .disconnecting(caller.key))
            }
        }
        #expect(code(await failure()) == "insufficient_scope")
        let path = "/api/v1/me/connected_apps/" + LogiDevelopment.clientID
        caller.world.network.lose(to: path, .beforeProcessing, with: .timedOut)
        #expect(await failure() == SignInError(.revocation, .transport(.timedOut)))
        #expect(caller.session.end == nil)
    }

    @Test("A client identifier is one segment of the path, whatever is in it", .covers(.logi, rows: 42))
    func segment() async throws {
        let world = try LogiWorld()
        let logi = try world.logi(world.configuration(clientID: "logi/../x?y#z é"))
        _ = await thrownError { () async throws(SignInError) in
            try await logi.disconnect(with: LogiAccessKey(Secret("k")))
        }
        #expect(
            world.wire.requests.last?.url.absoluteString
                == "https://api.1pass.dev/api/v1/me/connected_apps/logi%2F..%2Fx%3Fy%23z%20%C3%A9"
        )
    }
}
