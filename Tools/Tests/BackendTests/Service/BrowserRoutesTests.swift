import Backend
import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("The routes of the sign-in of web apps", .timeLimit(.minutes(5)))
struct BrowserRoutesTests {
    private static let page: HTTPFields = [.accept: "text/html", named("Sec-Fetch-Mode"): "navigate"]
    private static let asks: HTTPFields = [named("X-Forwarded-Method"): "GET"]

    private static func named(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no name of a field.") }
        return name
    }

    private func signIn(_ world: GatewayWorld) async throws {
        let login = try await world.send(.get, "/web/login", Self.page)
        #expect(try await world.signIn(at: login.fields[.location]) == "/")
    }

    // MARK: The proxy's check

    @Test("The check answers the trusted proxies alone: for another sender there is nothing at its path")
    func proxiesOnly() async throws {
        let world = try await GatewayWorld(isBehindNginx: false, trusting: "192.0.2.1")
        #expect(try await world.send(.get, "/gateway/check", Self.asks).status == .notFound)
        #expect(try await world.send(.get, "/web/session").status == .unauthorized)
        await world.stop()
    }

    @Test(
        "The check gives a trusted proxy the user, and the access token where that is configured",
        arguments: [false, true]
    )
    func check(passesAccessToken: Bool) async throws {
        let world = try await GatewayWorld(
            isBehindNginx: false,
            gateway: passesAccessToken ? #"{"access_token": true}"# : "{}"
        )
        #expect(try await world.send(.get, "/gateway/check", Self.asks).status == .unauthorized)
        try await signIn(world)
        let answer = try await world.send(.get, "/gateway/check", Self.asks)
        #expect(answer.status == .ok && answer.fields[Self.named("X-Auth-Request-User")] == "subject-of-alice")
        let token = answer.fields[Self.named("X-Auth-Request-Access-Token")] ?? ""
        #expect(token.isEmpty != passesAccessToken)
        let forged = Self.asks.filter { _ in true } + [HTTPField(name: Self.named("X-Auth-Request-User"), value: "a")]
        #expect(try await world.send(.get, "/gateway/check", HTTPFields(forged)).status == .forbidden)
        await world.stop()
    }

    @Test("The issuer's logout has an endpoint below the sign-in, which refuses what is no logout token")
    func backChannel() async throws {
        let world = try await GatewayWorld(isBehindNginx: false)
        let answer = try await world.send(.post, "/web/backchannel-logout", body: "logout_token=a")
        #expect(answer.status == .badRequest)
        await world.stop()
    }

    // MARK: An API behind the session

    @Test("An API's page reaches a browser without rights, private to it, and without the API's cookies")
    func contained() async throws {
        let world = try await GatewayWorld(isBehindNginx: false) { _ in
            SignInWorld.answer(
                "200 OK",
                "<script>",
                ["Set-Cookie: own=1", "Content-Type: text/html", "Cache-Control: public, s-maxage=600"]
            )
        }
        try await signIn(world)
        let answer = try await world.send(.get, "/api/page")
        #expect(answer.status == .ok && answer.fields[.setCookie] == nil)
        #expect(answer.fields[.xContentTypeOptions] == "nosniff")
        #expect(answer.fields[.contentSecurityPolicy]?.contains("sandbox") == true)
        let rule = answer.fields[.cacheControl] ?? ""
        #expect(!rule.contains("public") && !rule.contains("s-maxage") && rule.contains("private"))
        #expect(answer.fields[values: .vary].contains { $0.contains("Cookie") })
        await world.stop()
    }

    @Test("An access token that the API refuses is refreshed once, and the request is repeated with the new one")
    func renewed() async throws {
        let first = Lock<String?>(nil)
        let world = try await GatewayWorld(isBehindNginx: false) { request in
            let token = request.values(of: "authorization").first ?? ""
            let isFirst = first.withLock { first in
                if first == nil { first = token }
                return first == token
            }
            return isFirst ? SignInWorld.answer("401 Unauthorized", "") : SignInWorld.answer("200 OK", "new")
        }
        try await signIn(world)
        let answer = try await world.send(.get, "/api/orders")
        #expect(answer.status == .ok && String(decoding: answer.body, as: UTF8.self) == "new")
        #expect(world.application.requests.count == 2)
        await world.stop()
    }

    @Test(
        "After a refresh whose result is unknown a browser's session ends, or stays where lost_refresh is repeated",
        arguments: [
            ("", HTTPResponse.Status.unauthorized), (#""lost_refresh": "ends","#, .unauthorized),
            (#""lost_refresh": "repeated","#, .ok),
        ]
    )
    func lostRefresh(member: String, later: HTTPResponse.Status) async throws {
        let first = Lock<String?>(nil)
        let world = try await GatewayWorld(
            isBehindNginx: false,
            more: member,
            turns: [ScenarioTurn("token:2=status-500")]
        ) { request in
            let token = request.values(of: "authorization").first ?? ""
            let isFirst = first.withLock { first in
                if first == nil { first = token }
                return first == token
            }
            return isFirst ? SignInWorld.answer("401 Unauthorized", "") : SignInWorld.answer("200 OK", "new")
        }
        try await signIn(world)
        let lost = try await world.send(.get, "/api/orders")
        #expect([.badGateway, .serviceUnavailable].contains(lost.status))
        var answer = try await world.send(.get, "/api/orders")
        while answer.status == .serviceUnavailable {
            // The pause after the issuer's failure.
            try #require(answer.fields[.retryAfter] != nil)
            answer = try await world.send(.get, "/api/orders")
        }
        #expect(answer.status == later)
        #expect(try await world.send(.get, "/web/session").status == later)
        await world.stop()
    }

    @Test(
        "An API that refuses every token, or redirects, is a fault of the service and no sign-out",
        arguments: ["401 Unauthorized", "302 Found"]
    )
    func refusing(status: String) async throws {
        let world = try await GatewayWorld(isBehindNginx: false) { _ in
            SignInWorld.answer(status, "", ["Location: /elsewhere"])
        }
        try await signIn(world)
        #expect(try await world.send(.get, "/api/orders").status == .badGateway)
        #expect(try await world.send(.get, "/web/session").status == .ok)
        await world.stop()
    }

    @Test(
        "A path that leaves the API's part is not forwarded",
        arguments: ["/api/../admin", "/api/..%2fadmin", "/api/a/..;/b"]
    )
    func path(_ path: String) async throws {
        let world = try await GatewayWorld(isBehindNginx: false)
        try await signIn(world)
        #expect(try await world.send(.get, path).status == .notFound)
        #expect(world.application.requests.isEmpty)
        await world.stop()
    }
}
