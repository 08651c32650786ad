import Backend
import Foundation
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import ProviderServer
import Testing

@Suite("The service as the half of an app that holds the tokens", .timeLimit(.minutes(5)))
struct SignInServiceTests {
    @Test("An app signs in, reads its session and ends it")
    func life() async throws {
        let world = try await SignInWorld()
        let session = try await world.signIn()
        let mine = try await world.ask(.GET, "/auth/session", session: session)
        #expect(mine.status == 200)
        #expect(mine.object["sub"] == "subject-of-alice")
        #expect((2_591_000...2_592_000).contains(mine.object["expires_in"]?.integer ?? 0))
        #expect(try await world.ask(.DELETE, "/auth/session", session: session).status == 204)
        let gone = try await world.ask(.GET, "/auth/session", session: session)
        #expect(gone.status == 401)
        #expect(gone.headers.first(name: "www-authenticate")?.contains("The session has ended.") == true)
        await world.stop()
    }

    /// A second sign-in at the same issuer, of another client.
    private static let secondSignIn = SignInWorld.Change { text in
        let issuer = text.firstMatch(of: #/"sign_in": \{"issuer": "([^"]*)"/#).map { String($0.1) } ?? ""
        let other = """
            {"path": "/other", "issuer": "\(issuer)", "client_id": "other", "client_secret": {"environment": "SECRET"},
             "redirect_uri": "com.example.other:/callback"}
            """
        return String(text.replacing("\"sign_in\": {", with: "\"sign_in\": [\(other), {").dropLast()) + "]}"
    }

    @Test("A session of one sign-in is unknown at the path of another")
    func severalSignIns() async throws {
        let world = try await SignInWorld(changing: Self.secondSignIn)
        let session = try await world.signIn()
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == 200)
        #expect(try await world.ask(.GET, "/other/session", session: session).status == 401)
        #expect(try await world.ask(.DELETE, "/other/session", session: session).status == 401)
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == 200)
        await world.stop()
    }

    @Test("An app signs in at a provider like Apple, whose response the browser posts to the service")
    func formPost() async throws {
        let world = try await SignInWorld(manners: .apple, scopes: ["openid", "email"])
        let finish = try await world.finish(posting: #"{"name":{"firstName":"Alice"}}"#)
        let name = finish.object["unverified_user"]?.object?["name"]?.object
        #expect(finish.status == 200 && name?["firstName"]?.string == "Alice")
        let session = try await world.ask(.GET, "/auth/session", session: finish.object["session"]?.string ?? "")
        #expect(session.object["sub"]?.string == "subject-of-alice")
        #expect(try await world.ask(.GET, "/auth/response").status == 405)
        let large = try await world.ask(.POST, "/auth/response", body: String(repeating: "a", count: 16_385))
        #expect(large.status == 413)
        await world.stop()
    }

    @Test("A session request with another method gets 405 with the allowed ones")
    func sessionMethods() async throws {
        let world = try await SignInWorld()
        let answer = try await world.ask(.PUT, "/auth/session")
        #expect(answer.status == 405 && answer.headers.first(name: "allow") == "GET, DELETE")
        await world.stop()
    }

    @Test("A sign-in or session is rejected with another key than the one that started it")
    func otherKey() async throws {
        let world = try await SignInWorld()
        let stranger = try SigningKey.generate(.es256)
        let start = try await world.ask(.POST, "/auth/start")
        let state = try #require(start.object["state"]?.string)
        let body = #"{"code": "stolen", "state": "\#(state)"}"#
        let finish = try await world.ask(.POST, "/auth/finish", body: body, by: stranger)
        #expect(finish.status == 400 && finish.object["error"] == "invalid_grant")
        let session = try await world.signIn()
        for path in ["/auth/session", "/orders"] {
            #expect(try await world.ask(.GET, path, session: session, by: stranger).status == 401)
        }
        #expect(world.api.requests.isEmpty)
        await world.stop()
    }

    @Test("A sender over the configured limit of sign-ins a minute gets 429")
    func limit() async throws {
        let world = try await SignInWorld(more: #""starts_per_minute_and_sender": 1, "#)
        #expect(try await world.ask(.POST, "/auth/start").status == 200)
        #expect(try await world.ask(.POST, "/auth/start").status == 429)
        await world.stop()
    }

    @Test("The API is asked with the access token; handle, proof and cookies stay behind, path, query and body pass")
    func forwarded() async throws {
        let world = try await SignInWorld { _ in
            SignInWorld.answer("201 Created", #"{"id": 7}"#, ["Content-Type: application/json", "Set-Cookie: a=b"])
        }
        let session = try await world.signIn()
        let answer = try await world.ask(
            .POST,
            "/orders/open?limit=3&q=a%20b",
            session: session,
            fields: [("cookie", "c=d"), ("accept", "application/json"), ("x-forwarded-for", "192.0.2.1")],
            body: #"{"item": 1}"#
        )
        #expect(answer.status == 201 && answer.text == #"{"id": 7}"#)
        #expect(answer.headers.first(name: "content-type") == "application/json")
        #expect(!answer.headers.contains(name: "set-cookie"))
        let asked = try #require(world.api.requests.first)
        #expect(asked.method == "POST" && asked.target == "/v1/orders/open?limit=3&q=a%20b")
        #expect(String(decoding: asked.body, as: UTF8.self) == #"{"item": 1}"#)
        let token = try #require(asked.values(of: "authorization").first)
        #expect(token.hasPrefix("Bearer ") && !token.contains(session))
        #expect(asked.values(of: "accept") == ["application/json"])
        for name in ["dpop", "cookie", "x-forwarded-for"] { #expect(asked.values(of: name) == [], "\(name)") }
        await world.stop()
    }

    @Test(
        "A target outside of the forwarded path gets 404, and the API is not called",
        arguments: [
            "/orders/../admin", "/orders/%2e%2E/admin", "/orders/a%2f..%2fadmin", "/orders/..%5Cadmin",
            "/orders/..;/admin", "/orders/..;a=b/admin", "/orders/%2e.%3B/admin", "/orders/%252e%252e/admin",
            "/orders/a%00",
        ]
    )
    func traversal(target: String) async throws {
        let world = try await SignInWorld()
        let session = try await world.signIn()
        #expect(try await world.ask(.GET, target, session: session).status == 404)
        #expect(world.api.requests.isEmpty)
        await world.stop()
    }

    @Test("A forwarded request without a session is rejected before its body is read")
    func unreadBody() async throws {
        let world = try await SignInWorld()
        let connection = try LoopbackConnection(port: world.services[0].port)
        connection.send("POST /orders HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n")
        await connection.wait { $0.text.contains("\r\n\r\n") }
        #expect(connection.text.hasPrefix("HTTP/1.1 401 "))
        await world.stop()
    }

    @Test("A forwarded request without a session does not reach the API")
    func noSession() async throws {
        let world = try await SignInWorld()
        #expect(try await world.ask(.GET, "/orders").status == 401)
        #expect(try await world.ask(.GET, "/orders", session: "made-up").status == 401)
        #expect(world.api.requests.isEmpty)
        await world.stop()
    }

    @Test(
        "An API response about the service's own credentials, or none, becomes 502, and others pass",
        arguments: [
            ("401 Unauthorized", 502), ("302 Found", 502), ("304 Not Modified", 304), ("403 Forbidden", 403),
            ("500 Internal Server Error", 500), ("nonsense", 502),
        ]
    )
    func statuses(given: String, told: Int) async throws {
        let world = try await SignInWorld { _ in SignInWorld.answer(given, "", ["WWW-Authenticate: Bearer"]) }
        let session = try await world.signIn()
        let answer = try await world.ask(.GET, "/orders", session: session)
        #expect(answer.status == told)
        #expect(!answer.headers.contains(name: "www-authenticate"))
        await world.stop()
    }

    @Test(
        "An API's 401 is retried once with a new token, and a second 401 becomes 502"
    )
    func refusedToken() async throws {
        let world = try await SignInWorld { request in
            SignInWorld.answer(request.number == 0 ? "401 Unauthorized" : "200 OK", "{}")
        }
        let session = try await world.signIn()
        let body = #"{"item": 1}"#
        #expect(try await world.ask(.POST, "/orders", session: session, body: body).status == 200)
        #expect(Set(world.api.requests.flatMap { $0.values(of: "authorization") }).count == 2)
        #expect(world.api.requests.map { String(decoding: $0.body, as: UTF8.self) } == [body, body])
        await world.stop()
        let stubborn = try await SignInWorld { _ in SignInWorld.answer("401 Unauthorized", "") }
        let other = try await stubborn.signIn()
        #expect(try await stubborn.ask(.GET, "/orders", session: other).status == 502)
        #expect(stubborn.api.requests.count == 2)
        await stubborn.stop()
    }

    @Test(
        "After a refresh whose result is unknown the session ends, or stays where lost_refresh is repeated",
        arguments: [("", 401), (#""lost_refresh": "ends","#, 401), (#""lost_refresh": "repeated","#, 200)]
    )
    func lostRefresh(member: String, later: Int) async throws {
        // Such tokens are refreshed at each call.
        let world = try await SignInWorld(
            accessTokens: 0,
            turns: [ScenarioTurn("token:2=status-500")],
            more: member
        )
        let session = try await world.signIn()
        let lost = try await world.ask(.GET, "/orders", session: session)
        #expect(lost.status == 503 && world.api.requests.isEmpty)
        var answer = try await world.ask(.GET, "/orders", session: session)
        while answer.status == 503 {
            // The pause after the issuer's failure.
            try #require(answer.headers.contains(name: "retry-after"))
            answer = try await world.ask(.GET, "/orders", session: session)
        }
        #expect(answer.status == later)
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == later)
        await world.stop()
    }

    @Test("Two instances refresh each session once")
    func refresh() async throws {
        // Such tokens are renewed at each call, and the provider ends a session when its old one is presented.
        let world = try await SignInWorld(services: 2, accessTokens: 0)
        let session = try await world.signIn()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<12 {
                group.addTask {
                    try await world.ask(.GET, "/orders", session: session, instance: number % 2).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 12))
        #expect(Set(world.api.requests.flatMap { $0.values(of: "authorization") }).count > 1)
        await world.stop()
    }

    @Test("The provider ends a session with a logout token, once")
    func logout() async throws {
        let world = try await SignInWorld()
        let session = try await world.signIn()
        let token = try world.logoutToken()
        let form = [("content-type", "application/x-www-form-urlencoded")]
        let first = try await world.ask(.POST, "/auth/logout", fields: form, body: "logout_token=\(token)")
        #expect(first.status == 200)
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == 401)
        #expect(try await world.ask(.POST, "/orders", session: session, body: #"{"item": 1}"#).status == 401)
        #expect(world.api.requests.isEmpty)
        let second = try await world.ask(.POST, "/auth/logout", fields: form, body: "logout_token=\(token)")
        #expect(second.status == 400)
        await world.stop()
    }

    @Test(
        "A logout token ends the access tokens, too: at once where it came in, and at the other instance when that reads"
    )
    func revoked() async throws {
        let world = try await SignInWorld(services: 2)
        let bearer = [("authorization", "Bearer " + (try world.accessToken()))]
        func status(_ instance: Int) async throws -> Int {
            try await world.ask(.GET, "/me", fields: bearer, instance: instance).status
        }
        for instance in 0..<2 { #expect(try await status(instance) == 200) }
        let form = [("content-type", "application/x-www-form-urlencoded")]
        let body = "logout_token=" + (try world.logoutToken())
        #expect(try await world.ask(.POST, "/auth/logout", fields: form, body: body).status == 200)
        #expect(try await status(0) == 401)
        let end = ContinuousClock.now + .seconds(20)
        while try await status(1) == 200, ContinuousClock.now < end {}
        #expect(try await status(1) == 401)
        await world.stop()
    }

    @Test("The command forget ends the sessions of one user, revokes their tokens and removes the verification")
    func forget() async throws {
        let book = LogBook()
        let world = try await SignInWorld(providerLogger: book.logger)
        func hasRevoked() -> Bool { book.lines.contains { $0.metadata["path"] == "/revoke" } }
        let session = try await world.signIn()
        let configuration = try BackendConfiguration(
            contentsOf: world.file.path,
            environment: ["KEY": BackendConfigurationTests.key, "SECRET": SignInWorld.clientSecret]
        )
        let beside = try BackendStore(configuration.store)
        for subject in ["subject-of-alice", "another"] {
            try await beside.store.save(
                ServerVerificationRecord(verified: true, subject: subject, cohort: nil, campus: nil, verifiedAt: .now)
            )
        }
        func forget(_ subject: String, at issuer: Issuer? = nil) async throws -> [Int] {
            let done = try await BackendServer.forget(subject, at: issuer, configuration, logger: SignInWorld.quiet)
            return [done.sessions, done.hadVerification ? 1 : 0]
        }
        #expect(try await forget("nobody") == [0, 0])
        await #expect(throws: BackendConfigurationError.self) {
            try await forget("subject-of-alice", at: Issuer("https://other.example.com"))
        }
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == 200)
        #expect(try await beside.store.verification(of: "subject-of-alice") != nil)
        #expect(!hasRevoked())
        #expect(try await forget("subject-of-alice") == [1, 1])
        #expect(hasRevoked(), "the provider was not asked to revoke the refresh token")
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == 401)
        #expect(try await beside.store.verification(of: "subject-of-alice") == nil)
        #expect(try await beside.store.verification(of: "another") != nil)
        let bearer = [("authorization", "Bearer " + (try world.accessToken()))]
        while try await world.ask(.GET, "/me", fields: bearer).status == 200 { try Task.checkCancellation() }
        await beside.close()
        await world.stop()
    }

    @Test("The command forget is refused for a store in memory, and without an issuer where there are several")
    func refusedForgetting() async throws {
        let world = try await SignInWorld()
        let session = try await world.signIn()
        let text = try String(contentsOfFile: world.file.path, encoding: .utf8)
        func forget(_ text: String, at issuer: Issuer? = nil) async throws -> Int {
            let file = try TemporaryFile("backend.json")
            try Data(text.utf8).write(to: URL(filePath: file.path))
            let configuration = try BackendConfiguration(
                contentsOf: file.path,
                environment: ["KEY": BackendConfigurationTests.key, "SECRET": SignInWorld.clientSecret]
            )
            let logger = SignInWorld.quiet
            return try await BackendServer.forget("subject-of-alice", at: issuer, configuration, logger: logger)
                .sessions
        }
        let memory = text.replacing(/"store": \{[^}]*\}/, with: #""store": {"type": "memory"}"#)
        let inMemory = await #expect(throws: BackendConfigurationError.self) { try await forget(memory) }
        #expect(inMemory?.member == "store")
        let route =
            #"{"path": "/other", "issuer": "https://other.example.com", "audience": "https://api.example.com"}, "#
        let several = text.replacing(#""resources": ["#, with: #""resources": ["# + route)
        let unnamed = await #expect(throws: BackendConfigurationError.self) { try await forget(several) }
        #expect(unnamed?.sentence.contains("several issuers") == true)
        #expect(unnamed?.sentence.contains("(\(world.provider.issuer), https://other.example.com)") == true)
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == 200)
        #expect(try await forget(several, at: world.provider.issuer) == 1)
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == 401)
        await world.stop()
    }
}
