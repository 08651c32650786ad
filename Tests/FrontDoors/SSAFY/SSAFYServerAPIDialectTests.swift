import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider
import OstiaryProviderDialects
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import OstiaryTesting
import Testing

/// The client of the server API against the development provider, which is as strict as the service documents.
@Suite("SSAFY Verify: the server API of the development provider", .timeLimit(.minutes(5)))
struct SSAFYServerAPIDialectTests {
    private func api(
        _ world: SSAFYWorld,
        secret: String = "partner-secret",
        clientID: String = "ssafy-partner"
    ) throws -> SSAFYServerAPI {
        try SSAFYServerAPI(
            SSAFYServerConfiguration(
                clientID: clientID,
                clientSecret: Secret(secret),
                redirectURIs: [SSAFYWorld.callback]
            ),
            transport: world.network,
            clock: world.clock.device,
            jitter: { 0 }
        )
    }

    private static func message(
        _ key: String = "k-1",
        to target: SSAFYNotification.Target = .mattermostUser("mm-jiwoo"),
        template: String = "t"
    ) -> SSAFYNotification {
        SSAFYNotification(
            idempotencyKey: key,
            campaignID: "c 1",
            purpose: "welcome",
            target: target,
            templateID: template,
            variables: ["name": "지우"]
        )
    }

    private func refusal(_ body: () async throws(SignInError) -> Void) async -> (code: String?, requestID: String?) {
        do throws(SignInError) {
            try await body()
            return (nil, nil)
        } catch {
            guard case .refused(let refusal) = error.reason else { return ("\(error.reason)", nil) }
            return (refusal.code.rawValue, error.requestID)
        }
    }

    @Test(
        "A member profile is found by subject and by Mattermost account, with cohort 0 as a value",
        .covers(.ssafy, rows: 52)
    )
    func profiles() async throws {
        let world = try SSAFYWorld()
        let api = try api(world)
        let subject = try await world.verifier(as: "minseo").verify().subject
        let member = try await api.profile(ofMember: subject)
        #expect(member.subject == subject && member.cohort == "0" && member.name == "이민서")
        let account = try await api.profile(ofMattermostUser: "mm-minseo")
        #expect(account.subject == subject && account.campus == "대전 캠퍼스")
        #expect(world.network.count(path: "/v1/server/token") == 1)
    }

    @Test(
        "An unknown member, account, message or path is rejected with its code, and requested once",
        .covers(.ssafy, rows: 52, 56)
    )
    func notFound() async throws {
        let world = try SSAFYWorld()
        let api = try api(world)
        let member = await refusal { () async throws(SignInError) in _ = try await api.profile(ofMember: "x/y") }
        #expect(member.code == "MEMBER_NOT_FOUND" && member.requestID?.isEmpty == false)
        let account = await refusal { () async throws(SignInError) in
            _ = try await api.profile(ofMattermostUser: "mm-nobody")
        }
        #expect(account.code == "PROFILE_NOT_FOUND")
        let message = await refusal { () async throws(SignInError) in _ = try await api.notification("nothing") }
        #expect(message.code == "NOTIFICATION_NOT_FOUND")
        let path = await refusal { () async throws(SignInError) in
            _ = try await api.call(.get, "/mattermost-users/a/b/c", as: .readProfiles)
        }
        #expect(path.code == "NOT_FOUND")
        #expect(world.network.requests.count { $0.path.hasSuffix("/profile") } == 2)
    }

    @Test(
        "A guest and another client's subject are found as no member",
        .covers(.ssafy, rows: 52)
    )
    func strangers() async throws {
        let world = try SSAFYWorld()
        let other = try await SSAFYWorld(clientID: "ssafy-app").verifier(clientID: "ssafy-app").verify().subject
        let api = try api(world)
        let found = await refusal { () async throws(SignInError) in _ = try await api.profile(ofMember: other) }
        #expect(found.code == "MEMBER_NOT_FOUND")
        #expect(try await api.mattermostUsers(named: "guest")["users"] == [])
    }

    @Test("A batch request of 500 accounts returns their profiles and the missing ones", .covers(.ssafy, rows: 52))
    func batches() async throws {
        let people = (0..<499).map { number in
            var claims: JSONObject = ["ssafy_cohort": "15", "ssafy_mattermost_user_id": .string("mm-\(number)")]
            for member in 0..<22 { claims["member_\(member)"] = "value" }
            return (name: "user-\(number)", claims: claims)
        }
        let world = try SSAFYWorld(people: people)
        let api = try api(world)
        let ids = (0..<500).map { "mm-\($0)" }
        let profiles = try await api.profiles(ofMattermostUsers: ids)
        #expect(profiles["profiles"]?.array?.count == 499 && profiles["missing"] == ["mm-499"])
        let lifecycles = try await api.lifecycles(ofMattermostUsers: ids)["users"]?.array ?? []
        #expect(lifecycles.count { $0.object?["status"] == "active" } == 499)
        #expect(lifecycles.last?.object == ["mattermost_user_id": "mm-499", "status": "unknown"])
    }

    @Test("A Mattermost user is found by name, and by cohort where one is given", .covers(.ssafy, rows: 52))
    func directory() async throws {
        let api = try api(try SSAFYWorld())
        #expect(
            try await api.mattermostUsers(named: "jiwoo", cohort: "15")["users"] == [
                ["mattermost_user_id": "mm-jiwoo", "username": "jiwoo", "cohort": "15"]
            ]
        )
        #expect(try await api.mattermostUsers(named: "jiwoo", cohort: "14")["users"] == [])
    }

    @Test("Profile events are paged, and the cursor stays valid", .covers(.ssafy, rows: 52))
    func events() async throws {
        let api = try api(try SSAFYWorld())
        #expect(try await api.profileEvents()["events"] == [])
        for id in ["mm-jiwoo", "mm-minseo", "mm-jiwoo"] {
            #expect(try await api.synchronize(mattermostUser: id)["profile"]?.object != nil)
        }
        let first = try await api.profileEvents(limit: 2)
        #expect(first["events"]?.array?.count == 2 && first["has_more"] == true)
        let rest = try await api.profileEvents(after: first["next_cursor"]?.string)
        #expect(rest["events"]?.array?.map { $0.object?["mattermost_user_id"] } == ["mm-jiwoo"])
        #expect(rest["has_more"] == false)
        let last = try await api.profileEvents(after: rest["next_cursor"]?.string)
        #expect(last["events"] == [] && last["next_cursor"] == rest["next_cursor"])
    }

    @Test(
        "A message with the same idempotency key is sent once, and another message with it is rejected",
        .covers(.ssafy, rows: 52)
    )
    func idempotency() async throws {
        let api = try api(try SSAFYWorld())
        let sent = try await api.notify(Self.message())
        #expect(try await api.notify(Self.message()) == sent)
        let id = try #require(sent["id"]?.string)
        #expect(try await api.notification(id) == sent)
        #expect(try await api.notifications(ofCampaign: "c 1")["notifications"]?.array?.count == 1)
        let other = await refusal { () async throws(SignInError) in
            _ = try await api.notify(Self.message(template: "other"))
        }
        #expect(other.code == "IDEMPOTENCY_CONFLICT")
    }

    @Test("In a batch of messages only those with an unknown recipient fail", .covers(.ssafy, rows: 52))
    func messages() async throws {
        let world = try SSAFYWorld()
        let api = try api(world)
        let subject = try await world.verifier().verify().subject
        let answer = try await api.notify([
            Self.message("k-1", to: .member(subject)), Self.message("k-2", to: .member("nobody")), Self.message("k-3"),
        ])
        let results = answer["results"]?.array?.map { $0.object?["error_code"]?.string ?? "sent" }
        #expect(results == ["sent", "MEMBER_NOT_FOUND", "sent"])
        let all = (0..<25).map { Self.message("all-\($0)") }
        #expect(try await api.notify(all)["results"]?.array?.count == 25)
    }

    @Test("A server API call without its scope, or with a wrong secret, is rejected", .covers(.ssafy, rows: 52))
    func scopes() async throws {
        let world = try SSAFYWorld(dialect: SSAFYDialect(serverScopes: ["ssafy.profile.read"]))
        let api = try api(world)
        _ = try await api.profile(ofMattermostUser: "mm-jiwoo")
        let denied = await refusal { () async throws(SignInError) in _ = try await api.notify(Self.message()) }
        #expect(denied.code == "VERIFY_REQUEST_FORBIDDEN")
        for (id, secret) in [
            ("ssafy-partner", "wrong"), ("ssafy-app", "partner-secret"), ("unknown", "partner-secret"),
        ] {
            let stranger = try self.api(world, secret: secret, clientID: id)
            let refused = await refusal { () async throws(SignInError) in
                _ = try await stranger.profile(ofMattermostUser: "mm-jiwoo")
            }
            #expect(refused.code == "VERIFY_REQUEST_FORBIDDEN")
        }
    }

    @Test("A server API token is accepted for ten minutes, for its scope alone", .covers(.ssafy, rows: 52))
    func tokens() async throws {
        let world = try SSAFYWorld()
        func send(_ path: String, _ token: String? = nil, _ body: JSONObject? = nil) async throws -> EndpointResponse {
            var fields = HTTPFields()
            fields[.authorization] = token.map { "Bearer " + $0 }
            return try await world.network.send(
                EndpointRequest(
                    url: URL(string: SSAFYWorld.issuer + "/v1" + path)!,
                    method: body == nil ? .get : .post,
                    fields: fields,
                    content: body.map { EndpointRequest.Content(mediaType: "application/json", bytes: $0.encoded()) }
                )
            )
        }
        let granted = try await send(
            "/server/token",
            nil,
            [
                "grant_type": "client_credentials", "client_id": "ssafy-partner", "client_secret": "partner-secret",
                "scope": "ssafy.profile.read",
            ]
        )
        let token = try #require(try JSONObject(parsing: granted.body)["access_token"]?.string)
        let profile = "/mattermost-users/mm-jiwoo/profile"
        #expect(try await send(profile, token).status == .ok)
        #expect(try await send(profile).status == .unauthorized)
        #expect(try await send(profile, "other").status == .unauthorized)
        #expect(try await send("/mattermost-users?username=jiwoo", token).status == .forbidden)
        #expect(try await send("/mattermost-users/mm-jiwoo/sync", token, [:]).status == .forbidden)
        world.clock.advance(by: .seconds(601))
        #expect(try await send(profile, token).status == .unauthorized)
    }

    @Test("A server API token that has expired is requested anew", .covers(.ssafy, rows: 52))
    func renewed() async throws {
        let world = try SSAFYWorld()
        let api = try api(world)
        _ = try await api.profile(ofMattermostUser: "mm-jiwoo")
        world.clock.advance(by: .seconds(601))
        _ = try await api.profile(ofMattermostUser: "mm-jiwoo")
        #expect(world.network.count(path: "/v1/server/token") == 2)
    }

    @Test("A caller over the service's limit waits for its Retry-After", .covers(.ssafy, rows: 35, 52, 56))
    func limits() async throws {
        let world = try SSAFYWorld(dialect: SSAFYDialect(serverCallsPerMinute: 2))
        let api = try api(world)
        let start = world.clock.now
        for _ in 0..<3 { _ = try await api.profile(ofMattermostUser: "mm-jiwoo") }
        #expect(world.clock.now.timeIntervalSince(start) == 60)
        #expect(world.network.count(path: "/v1/mattermost-users/mm-jiwoo/profile") == 4)
    }

    @Test(
        "The SSAFY dialect rejects a server API request that differs from the documented one",
        .covers(.ssafy, rows: 52),
        arguments: [
            ("/mattermost-users/profiles/batch", ["mattermost_user_ids": []]),
            ("/mattermost-users/profiles/batch", ["mattermost_user_ids": ["a b"]]),
            ("/mattermost-users/profiles/batch", ["mattermost_user_ids": ["mm-jiwoo", 1]]),
            ("/mattermost-users/lifecycle/batch", ["mattermost_user_ids": ["mm-jiwoo"], "more": true]),
            (
                "/mattermost-users/lifecycle/batch",
                ["mattermost_user_ids": .array(Array(repeating: "mm-jiwoo", count: 501))]
            ),
            ("/profile-events?limit=0", nil), ("/profile-events?limit=101", nil), ("/profile-events?cursor=x", nil),
            ("/profile-events?limit=1&limit=2", nil), ("/mattermost-users", nil), ("/notifications", nil),
        ] as [(String, JSONObject?)]
    )
    func strict(_ path: String, _ body: JSONObject?) async throws {
        let api = try api(try SSAFYWorld())
        let permission: SSAFYServerAPI.Permission =
            if path == "/mattermost-users" { .lookUp } else if path == "/notifications" { .readNotifications } else {
                .readProfiles
            }
        let refused = await refusal { () async throws(SignInError) in
            _ = try await api.call(body == nil ? .get : .post, path, body, as: permission)
        }
        #expect(refused.code == "INVALID_REQUEST")
    }
}
