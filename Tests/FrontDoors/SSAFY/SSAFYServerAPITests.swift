import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: the server API", .timeLimit(.minutes(5)))
struct SSAFYServerAPITests {
    /// Answers calls below `/v1` in order, the last one for ever, and gives out tokens that are numbered.
    private final class Service: HTTPTransport {
        struct State {
            var answers: [EndpointResponse]
            var requests: [EndpointRequest] = []
            var tokens = 0
        }
        private let state: Lock<State>

        init(_ answers: [EndpointResponse]) { state = Lock(State(answers: answers)) }

        var calls: [EndpointRequest] {
            state.withLock { $0.requests.filter { !$0.url.path().hasSuffix("/server/token") } }
        }
        var tokenRequests: [EndpointRequest] {
            state.withLock { $0.requests.filter { $0.url.path().hasSuffix("/server/token") } }
        }

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            for _ in 0..<10 { await Task.yield() }
            return state.withLock { state in
                state.requests.append(request)
                guard !request.url.path().hasSuffix("/server/token") else {
                    state.tokens += 1
                    return SSAFYServerAPITests.json(
                        #"{"access_token":"token-\#(state.tokens)","token_type":"Bearer","expires_in":600}"#
                    )
                }
                return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
            }
        }
    }

    private static func json(_ text: String, _ status: Int = 200, fields: HTTPFields = [:]) -> EndpointResponse {
        var fields = fields
        fields[.contentType] = "application/json"
        return EndpointResponse(status: .init(code: status), fields: fields, body: Array(text.utf8))
    }

    private static let profile = json(#"{"ok":true,"data":{"profile":{"sub":"p","ssafy_cohort":"0","name":"민서"}}}"#)

    private let clock = TestClock()

    private func api(_ service: Service, longestWait: Duration = .seconds(60), jitter: Double = 0) throws
        -> SSAFYServerAPI
    {
        try SSAFYServerAPI(
            SSAFYServerConfiguration(
                clientID: "ssafy-partner",
                clientSecret: Secret("partner-secret"),
                redirectURIs: [SSAFYWorld.callback]
            ),
            transport: service,
            clock: clock.device,
            longestWait: longestWait,
            jitter: { jitter }
        )
    }

    @Test("A profile is read with a token of its scope, in the nested and the flat form", .covers(.ssafy, rows: 52))
    func profiles() async throws {
        let service = Service([Self.profile, Self.json(#"{"ok":true,"data":{"sub":"q","ssafy_cohort":"15"}}"#)])
        let api = try api(service)
        let first = try await api.profile(ofMember: "a/b c")
        #expect(first.subject == "p" && first.cohort == "0" && first.name == "민서")
        #expect(try await api.profile(ofMattermostUser: "mm-user").cohort == "15")
        #expect(
            service.calls.map { $0.url.absoluteString } == [
                SSAFYWorld.issuer + "/v1/ssafy-members/a%2Fb%20c/profile",
                SSAFYWorld.issuer + "/v1/mattermost-users/mm-user/profile",
            ]
        )
        #expect(service.calls.allSatisfy { $0.fields[.authorization] == "Bearer token-1" })
        let body = try JSONObject(parsing: try #require(service.tokenRequests.first?.body))
        #expect(
            body == [
                "grant_type": "client_credentials", "client_id": "ssafy-partner", "client_secret": "partner-secret",
                "scope": "ssafy.profile.read",
            ]
        )
    }

    @Test(
        "Concurrent calls request one token, which is requested again before it expires",
        .covers(.ssafy, rows: 35, 52)
    )
    func tokens() async throws {
        let service = Service([Self.profile])
        let api = try api(service)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await api.profile(ofMember: "p") } }
            try await group.waitForAll()
        }
        #expect(service.tokenRequests.count == 1)
        clock.advance(by: .seconds(569))
        _ = try await api.profile(ofMember: "p")
        #expect(service.tokenRequests.count == 1)
        clock.advance(by: .seconds(1))
        _ = try await api.profile(ofMember: "p")
        #expect(service.tokenRequests.count == 2)
        _ = try await api.mattermostUsers(named: "김 지우", cohort: "15")
        #expect(service.tokenRequests.count == 3)
        #expect(service.calls.last?.url.query(percentEncoded: true)?.hasSuffix("&cohort=15") == true)
    }

    @Test(
        "A call to a busy service is retried three times, after its Retry-After",
        .covers(.ssafy, rows: 52)
    )
    func repetition() async throws {
        let busy = Self.json("{}", 429, fields: [.retryAfter: "7"])
        let service = Service([busy, Self.json("{}", 503), Self.profile])
        let start = clock.now
        #expect(try await api(service).profile(ofMember: "p").subject == "p")
        #expect(service.calls.count == 3)
        #expect(clock.now.timeIntervalSince(start) == 8)
        let down = Service([Self.json("{}", 500)])
        await #expect(throws: SignInError(.userInfo, .server(status: 500))) {
            _ = try await api(down).profile(ofMember: "p")
        }
        #expect(down.calls.count == 4)
    }

    @Test("A Retry-After of the longest wait is not lengthened, and a shorter one by up to a quarter")
    func jitter() async throws {
        for (asked, waited) in [("10", 10.0), ("4", 5.0)] {
            let service = Service([Self.json("{}", 429, fields: [.retryAfter: asked]), Self.profile])
            let start = clock.now
            _ = try await api(service, longestWait: .seconds(10), jitter: 1).profile(ofMember: "p")
            #expect(clock.now.timeIntervalSince(start) == waited)
        }
    }

    @Test(
        "A Retry-After beyond the time that the caller allows is not waited for, and the error has the time",
        arguments: [429, 503]
    )
    func longWait(status: Int) async throws {
        let service = Service([Self.json("{}", status, fields: [.retryAfter: "11"]), Self.profile])
        let start = clock.now
        await #expect(throws: SignInError(.userInfo, .server(status: status), retryAfter: .seconds(11))) {
            _ = try await api(service, longestWait: .seconds(10)).profile(ofMember: "p")
        }
        #expect(service.calls.count == 1 && clock.now == start)
    }

    @Test(
        "A refusal has the service's code and request id in either form, and is not retried",
        .covers(.ssafy, rows: 52, 56),
        arguments: [
            #"{"ok":false,"error":{"code":"PROFILE_NOT_FOUND","message":"no","request_id":"r-1"}}"#,
            #"{"ok":false,"error_code":"PROFILE_NOT_FOUND","request_id":"r-1"}"#,
        ]
    )
    func refusal(_ body: String) async throws {
        let service = Service([Self.json(body, 404)])
        let error = SignInError(
            .userInfo,
            .refused(OAuthError(code: .init(rawValue: "PROFILE_NOT_FOUND"))),
            requestID: "r-1"
        )
        await #expect(throws: error) { _ = try await api(service).profile(ofMember: "p") }
        #expect(service.calls.count == 1)
    }

    @Test("A rejected server API token is requested anew once", .covers(.ssafy, rows: 52))
    func unauthorized() async throws {
        let service = Service([Self.json("{}", 401), Self.profile])
        _ = try await api(service).profile(ofMember: "p")
        #expect(service.tokenRequests.count == 2)
        #expect(service.calls.map { $0.fields[.authorization] } == ["Bearer token-1", "Bearer token-2"])
    }

    @Test(
        "A call whose new token is rejected as well fails without a further request",
        .covers(.ssafy, rows: 52)
    )
    func unauthorizedForGood() async throws {
        let service = Service([Self.json("{}", 401)])
        let start = clock.now
        await #expect(throws: SignInError(.userInfo, .server(status: 401))) {
            _ = try await api(service).profile(ofMember: "p")
        }
        #expect(service.calls.count == 2 && service.tokenRequests.count == 2)
        #expect(clock.now == start)
    }

    @Test("A client secret that the service rejects is sent once", .covers(.ssafy, rows: 35, 52))
    func wrongSecret() async throws {
        let service = SSAFYAnswer(401, #"{"ok":false,"error":{"code":"CLIENT_INVALID"}}"#)
        let api = try SSAFYServerAPI(
            SSAFYServerConfiguration(
                clientID: "ssafy-partner",
                clientSecret: Secret("old-secret"),
                redirectURIs: [SSAFYWorld.callback]
            ),
            transport: service,
            clock: clock.device,
            jitter: { 0 }
        )
        await #expect(throws: SignInError(.token, .server(status: 401))) { _ = try await api.profile(ofMember: "p") }
        #expect(service.requests.count == 1)
    }

    @Test("A member that is not found by subject is looked up by Mattermost account", .covers(.ssafy, rows: 52))
    func fallback() async throws {
        let missing = Self.json(#"{"ok":false,"error":{"code":"PROFILE_NOT_FOUND","request_id":"r-1"}}"#, 404)
        let service = Service([missing, Self.profile])
        let profile = try await api(service).profile(ofMember: "p", orMattermostUser: "mm-user")
        #expect(profile.cohort == "0")
        #expect(
            service.calls.map { $0.url.path() } == [
                "/v1/ssafy-members/p/profile", "/v1/mattermost-users/mm-user/profile",
            ]
        )
        let bare = Service([Self.json("{}", 404), Self.profile])
        #expect(try await api(bare).profile(ofMember: "p", orMattermostUser: "mm-user").cohort == "0")
    }

    @Test(
        "Only a 404 leads to the lookup by account, and the account is validated first",
        .covers(.ssafy, rows: 52),
        arguments: [403, 410]
    )
    func noFallback(_ status: Int) async throws {
        let service = Service([Self.json(#"{"error_code":"PROFILE_NOT_FOUND"}"#, status), Self.profile])
        await #expect(throws: SignInError.self) {
            _ = try await api(service).profile(ofMember: "p", orMattermostUser: "mm-user")
        }
        await #expect(throws: SignInError.self) {
            _ = try await api(service).profile(ofMember: "p", orMattermostUser: "../x")
        }
        #expect(service.calls.count == 1)
    }

    @Test(
        "A profile's picture is a URL, resolved against the issuer when it is relative",
        .covers(.ssafy, rows: 52),
        arguments: [
            ("/images/1.png", SSAFYWorld.issuer + "/images/1.png"),
            ("images/1.png", SSAFYWorld.issuer + "/images/1.png"),
            ("https://cdn.example/1.png?v=2", "https://cdn.example/1.png?v=2"),
            ("//cdn.example/1.png", "https://cdn.example/1.png"), ("http://cdn.example/1.png", nil),
            ("javascript:alert(1)", nil), ("data:image/png;base64,AA==", nil), ("", nil),
        ] as [(String, String?)]
    )
    func picture(_ text: String, _ url: String?) async throws {
        let service = Service([Self.json(#"{"ok":true,"data":{"sub":"p","picture":"\#(text)"}}"#)])
        let profile = try await api(service).profile(ofMember: "p")
        #expect(profile.picture?.absoluteString == url)
        #expect(profile.members["picture"] == .string(text))
    }

    @Test(
        "Invalid identifiers and batch sizes are refused before anything is sent",
        .covers(.ssafy, rows: 52),
        arguments: ["", "ab", "a/b", "../etc", "a b", String(repeating: "a", count: 65)]
    )
    func identifiers(_ id: String) async throws {
        let service = Service([Self.profile])
        let api = try api(service)
        await #expect(throws: SignInError.self) { _ = try await api.profile(ofMattermostUser: id) }
        await #expect(throws: SignInError.self) { _ = try await api.profiles(ofMattermostUsers: [id]) }
        await #expect(throws: SignInError.self) { _ = try await api.profiles(ofMattermostUsers: []) }
        let many = (0...500).map { "user-\($0)" }
        await #expect(throws: SignInError.self) { _ = try await api.lifecycles(ofMattermostUsers: many) }
        #expect(service.calls.isEmpty)
    }

    @Test("Messages carry an idempotency key, and go out in batches of 25", .covers(.ssafy, rows: 52))
    func notifications() async throws {
        let service = Service([Self.json(#"{"ok":true,"data":{"id":"n-1"}}"#)])
        let api = try api(service)
        let message = SSAFYNotification(
            idempotencyKey: "k",
            campaignID: "c",
            purpose: "welcome",
            target: .member("p"),
            templateID: "t",
            variables: ["name": "지우"]
        )
        #expect(try await api.notify(message)["id"] == "n-1")
        #expect(
            try JSONObject(parsing: try #require(service.calls.first?.body)) == [
                "idempotency_key": "k", "campaign_id": "c", "purpose": "welcome", "target": ["sub": "p"],
                "template": ["id": "t", "variables": ["name": "지우"]],
            ]
        )
        await #expect(throws: SignInError.self) {
            _ = try await api.notify(Array(repeating: message, count: 26))
        }
        _ = try await api.notifications(ofCampaign: "c d")
        #expect(service.calls.last?.url.absoluteString.hasSuffix("/v1/notifications?campaign_id=c%20d") == true)
    }

    @Test("A public client has no server API, and printing shows no client secret", .covers(.ssafy, rows: 52, 61))
    func secrets() throws {
        let open = try SSAFYServerConfiguration(clientID: "ssafy-app", redirectURIs: [SSAFYWorld.callback])
        #expect(throws: SignInError.self) { try SSAFYServerAPI(open, transport: Service([Self.profile])) }
        let configuration = try SSAFYServerConfiguration(
            clientID: "ssafy-partner",
            clientSecret: Secret("partner-secret"),
            redirectURIs: [SSAFYWorld.callback]
        )
        var text = "\(configuration)"
        dump(configuration, to: &text)
        #expect(!text.contains("partner-secret"))
        #expect(throws: SignInError.self) { try SSAFYServerConfiguration(clientID: "a", redirectURIs: []) }
    }
}
