import Foundation
import HTTPTypes
import OstiaryOAuth
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The sign-in of a web app whose store is away", .timeLimit(.minutes(5)))
struct BrowserStoreFaultTests {
    private static let own: HTTPFields = [.origin: "https://app.example.com"]

    /// The endpoints that a signed-in browser uses.
    enum Route: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case session, list, endAll, logout, check
        var testDescription: String { rawValue }
    }

    private func send(_ route: Route, _ browser: TestBrowser, _ world: BrowserWorld) async throws -> ServerResponse {
        switch route {
        case .session: await browser.send(world.web.session)
        case .list: await browser.send(world.web.list)
        case .endAll: await browser.send(world.web.list, .delete, "/", Self.own)
        case .logout: await browser.send(world.web.logout, .post, "/", Self.own)
        case .check: await browser.send(try GatewayCheck(world.web), .get, "/", [.forwardedMethod: "GET"])
        }
    }

    @Test(
        "A store that is away is 503 for a second, and costs neither the cookie nor the session",
        arguments: Route.allCases
    )
    func away(route: Route) async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let cookie = browser.session
        world.store.fail(.unavailable)
        let answer = try await send(route, browser, world)
        #expect(answer.status == .serviceUnavailable && answer.fields[.retryAfter] == "1")
        #expect(answer.fields[.setCookie] == nil && answer.reason?.concern == .operator)
        world.store.fail(nil)
        #expect(browser.session == cookie && cookie != nil)
        #expect(await browser.send(world.web.session).status == .ok)
    }

    @Test("Changes that the store does not take leave every session as it is", arguments: [Route.endAll, .logout])
    func readOnly(route: Route) async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.store.failSessionChanges(.unavailable)
        let answer = try await send(route, browser, world)
        #expect(answer.status == .serviceUnavailable && answer.fields[.setCookie] == nil)
        world.store.failSessionChanges(nil)
        #expect(await browser.send(world.web.session).status == .ok)
    }

    @Test("A sign-in that cannot be stored is not started, and the page says to reload it")
    func login() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        world.store.fail(.unavailable)
        let answer = await browser.send(world.web.login, .get, "/web/login")
        #expect(answer.status == .serviceUnavailable && answer.fields[.retryAfter] == "1")
        #expect(answer.fields[.setCookie] == nil && answer.text.contains("Reload this page"))
    }

    @Test("A callback while the store is away redeems nothing, and succeeds when it is repeated")
    func callback() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let callback = try await browser.visit(try await browser.login())
        world.store.fail(.unavailable)
        #expect(await browser.callback(callback).status == .serviceUnavailable)
        #expect(world.network.count("/token") == 0)
        world.store.fail(nil)
        #expect(await browser.callback(callback).status == .seeOther)
        #expect(await browser.send(world.web.session).status == .ok)
    }

    @Test("A callback whose stored sign-in cannot be read once succeeds when it is repeated")
    func unreadableOnce() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let callback = try await browser.visit(try await browser.login())
        world.store.failNextTake(.unavailable)
        let answer = await browser.callback(callback)
        #expect(answer.status == .serviceUnavailable && answer.reason?.name == "store_unavailable")
        #expect(await browser.callback(callback).status == .seeOther)
        #expect(world.network.count("/token") == 1)
    }

    /// A session whose access token has expired.
    private func expired(_ world: BrowserWorld, _ browser: TestBrowser) async throws -> ServerSession {
        try await browser.signIn()
        let cookie = "__Host-ostiary=" + (try #require(browser.session))
        let session = try await world.web.session(
            of: ServerRequest(method: .get, target: "/", fields: [.cookie: cookie])
        )
        world.clock.advance(by: .seconds(900))
        return session
    }

    @Test("A refresh whose stored result was reported as failed is kept when the claims were read anew meanwhile")
    func lostReplacement() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let session = try await expired(world, browser)
        let check = try GatewayCheck(world.web)
        let reads = world.network.count("/userinfo")
        world.store.loseNextReplacement {
            #expect(await browser.send(check, .get, "/", [.forwardedMethod: "GET"]).status == .ok)
        }
        let token = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/userinfo") == reads + 1)
        #expect(try await world.sessions.accessToken(of: session) == token)
        await world.sessions.settle()
        #expect(world.network.count("/token") == 2 && world.network.count("/revoke") == 0)
    }

    @Test("A refresh whose stored result was reported as failed revokes nothing when the session was refreshed since")
    func lostReplacementOfAFormerToken() async throws {
        let world = try BrowserWorld()
        let session = try await expired(world, TestBrowser(world))
        let other = try world.restarted(events: EventLog())
        world.store.loseNextReplacement {
            let first = try? await other.accessToken(of: session)
            _ = try? await other.accessToken(of: session, insteadOf: first)
        }
        _ = try await world.sessions.accessToken(of: session)
        await world.sessions.settle()
        #expect(world.network.count("/token") == 3 && world.network.count("/revoke") == 0)
        world.clock.advance(by: .seconds(900))
        _ = try await world.sessions.accessToken(of: session)
    }

    @Test("A session whose new claims cannot be stored is refreshed by the next request")
    func claimsNotStored() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.clock.advance(by: .seconds(301))
        world.store.failSessionChanges(.unavailable)
        let check = try GatewayCheck(world.web)
        #expect(await browser.send(check, .get, "/", [.forwardedMethod: "GET"]).status == .serviceUnavailable)
        #expect(world.network.count("/userinfo") == 2)
        world.store.failSessionChanges(nil)
        let cookie = "__Host-ostiary=" + (try #require(browser.session))
        let session = try await world.web.session(
            of: ServerRequest(method: .get, target: "/", fields: [.cookie: cookie])
        )
        let uptime = world.clock.now
        let token = try await world.sessions.accessToken(of: session)
        #expect(try await world.sessions.accessToken(of: session, insteadOf: token) != token)
        #expect(world.clock.now == uptime)
    }

    @Test("Tokens whose session cannot be stored are revoked")
    func notBegun() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let callback = try await browser.visit(try await browser.login())
        world.store.failSessionChanges(.unavailable)
        #expect(await browser.callback(callback).status == .serviceUnavailable)
        await world.sessions.settle()
        #expect(world.network.count("/token") == 1 && world.network.count("/revoke") == 1)
        #expect(browser.session == nil)
    }

    @Test("The issuer's page of a sign-out is 503 while the store is away, and not the landing page")
    func issuerPage() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let url = try #require(
            await browser.send(world.web.logout, .post, "/", Self.own).object["end_session_url"]?.string
        )
        let target = url.replacing("https://app.example.com", with: "")
        world.store.fail(.unavailable)
        #expect(await browser.send(world.web.logout, .get, target).status == .serviceUnavailable)
        world.store.fail(nil)
        let answer = await browser.send(world.web.logout, .get, target)
        #expect(answer.location?.hasPrefix(BrowserWorld.issuer) == true)
    }

    @Test("A session has begun before the issuer is asked for the user's claims")
    func userInfo() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let callback = try await browser.visit(try await browser.login())
        world.network.hold("/userinfo")
        async let answer = browser.callback(callback)
        while world.network.count("/userinfo") == 0 { await Task.yield() }
        let begun = try await world.store.sessions(
            issuer: BrowserWorld.issuer,
            subject: "alice-subject",
            limit: 10,
            now: world.clock.now
        )
        #expect(begun.count == 1)
        world.network.release()
        #expect(await answer.status == .seeOther)
        #expect(await browser.send(world.web.session).object["claims"]?.object?["name"] == "Alice")
    }

    @Test(
        "A callback that is repeated while a slow redemption goes on is not reported as used",
        arguments: [("/token", 55, .serviceUnavailable), ("/userinfo", 45, .seeOther)]
            as [(String, Int, HTTPResponse.Status)]
    )
    func slowRedemption(_ path: String, _ seconds: Int, _ status: HTTPResponse.Status) async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let callback = try await browser.visit(try await browser.login())
        world.network.hold(path)
        async let first = browser.callback(callback)
        while world.network.count(path) == 0 { await Task.yield() }
        world.clock.advance(by: .seconds(seconds))
        #expect(await browser.callback(callback).status == status)
        world.network.release()
        _ = await first
        #expect(world.network.count("/token") == 1)
    }
}
