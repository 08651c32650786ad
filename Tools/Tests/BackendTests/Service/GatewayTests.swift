import Backend
import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The service as the sign-in of web apps", .timeLimit(.minutes(5)))
struct GatewayTests {
    private static let page: HTTPFields = [.accept: "text/html", .fetchMode: "navigate"]

    @Test("A browser signs in, reads its session, reaches an API without a token, and signs out everywhere")
    func browser() async throws {
        let world = try await GatewayWorld(isBehindNginx: false)
        let own: HTTPFields = [.origin: world.origin]
        #expect(try await world.send(.get, "/web/session").status == .unauthorized)
        #expect(try await world.send(.get, "/api/orders").status == .unauthorized)
        let login = try await world.send(.get, "/web/login?return_to=/app", Self.page)
        #expect(login.status == .seeOther)
        #expect(try await world.signIn(at: login.fields[.location]) == "/app")
        let session = try JSONObject(parsing: try await world.send(.get, "/web/session").body)
        #expect(session["sub"] == "subject-of-alice")
        #expect(session["claims"]?.object?["email"] == "alice@example.com")
        #expect(try await world.send(.get, "/api/orders?a=b").status == .ok)
        let asked = try #require(world.application.requests.last)
        #expect(asked.target == "/v1/orders?a=b" && asked.values(of: "cookie") == [])
        #expect(asked.values(of: "authorization").first?.hasPrefix("Bearer ") == true)
        let foreign = try await world.send(.post, "/api/orders", [.origin: "https://evil.example"], body: "{}")
        #expect(foreign.status == .forbidden && world.application.requests.count == 1)
        #expect(try await world.send(.post, "/api/orders", body: "{}").status == .forbidden)
        #expect(try await world.send(.post, "/api/orders", own, body: "{}").status == .ok)
        #expect(try await world.send(.post, "/web/session", own).status == .methodNotAllowed)
        let cookies = world.cookies
        #expect(try await world.send(.delete, "/web/sessions", own).status == .noContent)
        #expect(world.cookies.isEmpty && cookies.keys.sorted() == ["__Host-ostiary"])
        #expect(try await world.send(.get, "/api/orders").status == .unauthorized)
        // The session ended while a page had a form open.
        let count = world.application.requests.count
        world.restore(cookies)
        #expect(try await world.send(.post, "/api/orders", own, body: "{}").status == .unauthorized)
        #expect(world.application.requests.count == count)
        await world.stop()
    }

    @Test("A request whose session ends while its body arrives does not reach the API")
    func endedWhileArriving() async throws {
        let world = try await GatewayWorld(isBehindNginx: false)
        let login = try await world.send(.get, "/web/login?return_to=/app", Self.page)
        _ = try await world.signIn(at: login.fields[.location])
        let cookie = world.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let connection = try LoopbackConnection(port: world.port)
        connection.send(
            "POST /api/orders HTTP/1.1\r\nhost: a\r\norigin: \(world.origin)\r\ncookie: \(cookie)\r\n"
                + "content-type: application/json\r\ncontent-length: 2\r\n\r\n{"
        )
        // The head is read meanwhile.
        #expect(try await world.send(.get, "/web/session").status == .ok)
        #expect(try await world.send(.delete, "/web/sessions", [.origin: world.origin]).status == .noContent)
        connection.send("}")
        await connection.wait { $0.text.contains("\r\n\r\n") }
        #expect(connection.text.hasPrefix("HTTP/1.1 401 "))
        #expect(world.application.requests.isEmpty)
        await world.stop()
    }

    @Test("A page of a named origin reaches the API across origins, and asks before")
    func sharing() async throws {
        let world = try await GatewayWorld(isBehindNginx: false, more: #""origins": ["http://localhost:3000"], "#)
        let spa: HTTPFields = [.origin: "http://localhost:3000"]
        let preflight = try await world.send(.options, "/api/orders", spa)
        #expect(preflight.status == .noContent)
        #expect(preflight.fields[.accessControlAllowMethods] == "GET, POST, PUT, PATCH, DELETE")
        let answer = try await world.send(.get, "/api/orders", spa)
        #expect(answer.status == .unauthorized && answer.fields[.accessControlAllowOrigin] == "http://localhost:3000")
        #expect(try await world.send(.options, "/web/session", [.origin: "https://evil.example"]).status == .forbidden)
        await world.stop()
    }

    @Test(
        "Behind nginx an application sees signed-in users alone, with names that no client wrote",
        .enabled(if: NginxServer.program != nil, "nginx is not installed: scripts/setup.sh installs it")
    )
    func nginx() async throws {
        let world = try await GatewayWorld(isBehindNginx: true)
        let first = try await world.send(.get, "/reports?a=1&b=2", Self.page)
        #expect(first.status == .seeOther && world.application.requests.isEmpty)
        #expect(try await world.signIn(at: first.fields[.location]) == "/reports?a=1&b=2")
        var forged = Self.page
        for name in ["User", "Email", "Groups", "Preferred-Username", "Access-Token"] {
            forged[HTTPField.Name("X-Auth-Request-" + name)!] = "admin"
            forged[HTTPField.Name("X_Auth_Request_" + name)!] = "admin"
        }
        let answer = try await world.send(.get, "/reports?a=1&b=2", forged)
        #expect(answer.status == .ok && String(decoding: answer.body, as: UTF8.self) == "hello")
        let seen = try #require(world.application.requests.last)
        #expect(seen.target == "/reports?a=1&b=2")
        #expect(seen.values(of: "x-auth-request-user") == ["subject-of-alice"])
        #expect(seen.values(of: "x-auth-request-email") == ["alice@example.com"])
        #expect(seen.values(of: "x-auth-request-preferred-username") == ["alice"])
        for name in ["groups", "access-token"] { #expect(seen.values(of: "x-auth-request-\(name)") == []) }
        #expect(!seen.head.contains("admin") && !seen.head.contains("__Host-ostiary"))
        #expect(seen.values(of: "cookie") == ["a=b; c=d; own=1"] || seen.values(of: "cookie") == ["a=b; c=d"])
        await world.stop()
    }

    @Test(
        "Behind nginx a form of another site, the check itself and a script without a session get nowhere",
        .enabled(if: NginxServer.program != nil, "nginx is not installed: scripts/setup.sh installs it")
    )
    func nginxAttacks() async throws {
        let world = try await GatewayWorld(isBehindNginx: true)
        #expect(try await world.send(.get, "/data", [.fetchMode: "cors"]).status == .unauthorized)
        #expect(try await world.send(.get, "/gateway/check").status == .notFound)
        #expect(try await world.send(.get, "/sign-in").status == .notFound)
        let first = try await world.send(.get, "/", Self.page)
        _ = try await world.signIn(at: first.fields[.location])
        #expect(try await world.send(.get, "/gateway/check").status == .notFound)
        // The method that a client writes is not the one that the check hears.
        let disguised: HTTPFields = [.origin: "https://evil.example", .forwardedMethod: "GET"]
        #expect(try await world.send(.post, "/transfer", disguised, body: "a=b").status == .forbidden)
        #expect(try await world.send(.post, "/transfer", [.forwardedMethod: "GET"], body: "a=b").status == .forbidden)
        #expect(world.application.requests.isEmpty)
        #expect(try await world.send(.post, "/transfer", [.origin: world.origin], body: "a=b").status == .ok)
        let seen = try #require(world.application.requests.last)
        #expect(String(decoding: seen.body, as: UTF8.self) == "a=b")
        let cookies = world.cookies
        #expect(try await world.send(.post, "/web/logout", [.origin: world.origin]).status == .ok)
        #expect(try await world.send(.get, "/", Self.page).status == .seeOther)
        // The session ended while a page had a form open.
        let count = world.application.requests.count
        world.restore(cookies)
        let own: HTTPFields = [.origin: world.origin, .fetchMode: "cors"]
        #expect(try await world.send(.post, "/transfer", own, body: "a=b").status == .unauthorized)
        #expect(world.application.requests.count == count)
        await world.stop()
    }

    // MARK: Configuration

    @Test("The sign-in of web apps is read, with what it does without")
    func whole() async throws {
        let configuration = try read(Self.good)
        let settings = try #require(configuration.browser)
        #expect(settings.base.description == "https://app.example.com/web")
        #expect(settings.client.redirectURI.description == "https://app.example.com/web/callback")
        #expect(settings.cookies.sameSite == .strict && settings.cookies.name == "ostiary" && settings.gateway == nil)
        #expect(settings.request.scopes == [.openID] && settings.readsUserInfo)
        try await BackendServer.check(configuration)
        let gateway = try read(Self.good.replacing("\"path\": \"/web\"", with: "\"gateway\": {\"groups\": [\"a\"]}"))
        #expect(gateway.browser?.cookies.sameSite == .lax && gateway.browser?.gateway?.groups == ["a"])
        #expect(gateway.browser?.gateway?.path == "/gateway/check")
        try await BackendServer.check(gateway)
    }

    @Test(
        "An error in the web sign-in's configuration names the member",
        arguments: [
            ("\"path\": \"/web\"", "\"gateway\": {}, \"same_site\": \"strict\"", "browser.same_site"),
            ("\"path\": \"/web\"", "\"same_site\": \"none\"", "browser.same_site"),
            ("\"path\": \"/web\"", "\"cookie\": \"a b\"", "browser.cookie"),
            ("\"path\": \"/web\"", "\"origins\": [\"https://a.example/x\"]", "browser.origins[0]"),
            ("\"path\": \"/web\"", "\"origin\": \"https://other.example\"", "browser.origin"),
            ("\"path\": \"/web\"", "\"gateway\": {\"refusal\": \"login\"}", "browser.gateway.refusal"),
            ("\"path\": \"/web\"", "\"gateway\": {\"access_token\": 1}", "browser.gateway.access_token"),
            ("\"path\": \"/web\"", "\"private_key\": {\"environment\": \"SECRET\"}", "browser.client_secret"),
            ("\"https://app.example.com\"", "\"https://app.example.com\", \"https://b.example\"", "browser.origin"),
            ("{\"environment\": \"SECRET\"}", "\"secret value\"", "browser.client_secret"),
            ("\"path\": \"/web\"", "\"resource\": \"a b\"", "browser.resource"),
        ]
    )
    func faults(from: String, to: String, member: String) throws {
        let text = Self.good.replacing(from, with: to)
        #expect(text != Self.good)
        let error = #expect(throws: BackendConfigurationError.self) { try read(text) }
        #expect(error?.member == member, "\(String(describing: error))")
        #expect(error?.description.contains("secret value") == false)
    }

    @Test("A landing page at another site is refused before the backend listens")
    func landing() async throws {
        let text = Self.good.replacing("\"path\": \"/web\"", with: "\"landing\": \"https://evil.example/\"")
        let configuration = try read(text)
        await #expect(throws: SignInError.self) { try await BackendServer.check(configuration) }
    }

    static let good = """
        {"origins": ["https://app.example.com"], "store": {"type": "memory"},
         "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}],
         "browser": {"path": "/web", "issuer": "https://id.example.com", "client_id": "web",
                     "client_secret": {"environment": "SECRET"}}}
        """

    private func read(_ text: String) throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        try Data(text.utf8).write(to: URL(filePath: file.path))
        return try BackendConfiguration(
            contentsOf: file.path,
            environment: ["KEY": BackendConfigurationTests.key, "SECRET": "secret value"]
        )
    }
}

extension HTTPField.Name {
    fileprivate static let fetchMode = named("Sec-Fetch-Mode")
    fileprivate static let forwardedMethod = named("X-Forwarded-Method")

    private static func named(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no name of a field.") }
        return name
    }
}
