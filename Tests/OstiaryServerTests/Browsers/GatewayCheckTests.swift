import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The check that a gateway makes")
struct GatewayCheckTests {
    private static let visit: HTTPFields = [.forwardedMethod: "GET", .forwardedURI: "/reports?a=1&b=2"]

    private func user(_ response: ServerResponse, _ name: String = "User") -> String? {
        response.fields[HTTPField.Name("X-Auth-Request-" + name)!]
    }

    @Test("A browser with a session is let in with the user's name, and without a token")
    func admitted() async throws {
        let world = try BrowserWorld(
            claims: [
                "email": "a@example.com", "email_verified": true, "preferred_username": "alice",
                "groups": ["staff", "Domain Users"],
            ]
        )
        let browser = TestBrowser(world)
        try await browser.signIn()
        let answer = await browser.send(try GatewayCheck(world.web), .get, "/", Self.visit)
        #expect(answer.status == .ok && answer.body.isEmpty && answer.fields[.cacheControl] == "no-store")
        #expect(user(answer) == "alice-subject" && user(answer, "Email") == "a@example.com")
        #expect(user(answer, "Preferred-Username") == "alice" && user(answer, "Groups") == "staff,Domain Users")
        #expect(user(answer, "Access-Token") == "")
        let passing = try GatewayCheck(world.web, passesAccessToken: true)
        let token = user(await browser.send(passing, .get, "/", Self.visit), "Access-Token") ?? ""
        #expect(token.count > 20)
        world.clock.advance(by: 3600)
        let next = user(await browser.send(passing, .get, "/", Self.visit), "Access-Token") ?? ""
        #expect(next.count > 20 && next != token)
    }

    @Test("A user's name that a client wrote is neither believed nor repeated")
    func smuggled() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        var fields = Self.visit
        for name in ["User", "Email", "Groups", "Preferred-Username", "Access-Token"] {
            fields[HTTPField.Name("X-Auth-Request-" + name)!] = "admin"
        }
        let check = try GatewayCheck(world.web)
        let nobody = await browser.send(check, .get, "/", fields)
        #expect(nobody.status == .unauthorized && user(nobody) == nil)
        try await browser.signIn()
        let answer = await browser.send(check, .get, "/", fields)
        #expect(user(answer) == "alice-subject" && !answer.fields.contains { $0.value.contains("admin") })
    }

    @Test("No claim of an issuer's becomes two names or another field")
    func claims() async throws {
        let world = try BrowserWorld(
            claims: [
                "email": "jürgen@example.com", "email_verified": true, "preferred_username": " al\r\nX-Admin: 1 ",
                "groups": ["a,admin", "100%", "ä", "b\u{0}"],
            ]
        )
        let browser = TestBrowser(world)
        try await browser.signIn()
        let answer = await browser.send(try GatewayCheck(world.web), .get, "/", Self.visit)
        #expect(user(answer, "Email") == "j%C3%BCrgen@example.com")
        #expect(user(answer, "Preferred-Username") == "%20al%0D%0AX-Admin: 1%20")
        #expect(user(answer, "Groups") == "a%2Cadmin,100%25,%C3%A4,b%00")
    }

    @Test("An address that the issuer does not call verified is passed on only where that is configured")
    func unverified() async throws {
        let world = try BrowserWorld(claims: ["email": "admin@example.com"])
        let browser = TestBrowser(world)
        try await browser.signIn()
        #expect(user(await browser.send(try GatewayCheck(world.web), .get, "/", Self.visit), "Email") == "")
        let trusting = try GatewayCheck(world.web, acceptsUnverifiedEmail: true)
        #expect(user(await browser.send(trusting, .get, "/", Self.visit), "Email") == "admin@example.com")
    }

    @Test("A user outside of the groups is refused, and so is one whose groups no header field holds")
    func groups() async throws {
        let world = try BrowserWorld(claims: ["groups": ["staff"]])
        let browser = TestBrowser(world)
        try await browser.signIn()
        func status(_ groups: Set<String>) async throws -> Int {
            await browser.send(try GatewayCheck(world.web, admitting: groups), .get, "/", Self.visit).status.code
        }
        #expect(try await status(["admins", "staff"]) == 200)
        #expect(try await status(["admins", "Staff"]) == 403)
        #expect(try await status([]) == 403)
        let many = try BrowserWorld(claims: ["groups": .array((0..<400).map { .string("group-\($0)") })])
        let other = TestBrowser(many)
        try await other.signIn()
        let answer = await other.send(try GatewayCheck(many.web), .get, "/", Self.visit)
        #expect(answer.status == .forbidden && answer.reason?.concern == .operator)
    }

    @Test("A browser without a session is told to sign in, by a redirect where a user waits for a page")
    func nobody() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let page = Self.visit.merging([.accept: "text/html,*/*"])
        #expect(await browser.send(try GatewayCheck(world.web), .get, "/", page).status == .unauthorized)
        let redirecting = try GatewayCheck(world.web, refusal: .redirect)
        let answer = await browser.send(redirecting, .get, "/", page)
        #expect(answer.status == .found)
        #expect(answer.location == "/web/login?return_to=%2Freports%3Fa%3D1%26b%3D2")
        #expect(await browser.send(redirecting, .get, "/", Self.visit).status == .unauthorized)
        let script = page.merging([.fetchMode: "cors"])
        #expect(await browser.send(redirecting, .get, "/", script).status == .unauthorized)
        let post = page.merging([.forwardedMethod: "POST", .origin: "https://app.example.com"])
        #expect(await browser.send(redirecting, .get, "/", post).status == .unauthorized)
        let elsewhere = page.merging([.forwardedURI: "//evil.example"])
        #expect(await browser.send(redirecting, .get, "/", elsewhere).location == "/web/login")
    }

    @Test("A form or script of another origin gets nowhere with a user's session, and a link does")
    func foreignPage() async throws {
        let world = try BrowserWorld(origins: ["https://spa.example.com"])
        let browser = TestBrowser(world)
        try await browser.signIn()
        let check = try GatewayCheck(world.web)
        func status(_ method: String, _ fields: HTTPFields) async -> Int {
            let visit = Self.visit.merging([.forwardedMethod: method]).merging(fields)
            return await browser.send(check, .get, "/", visit).status.code
        }
        #expect(await status("GET", [.fetchSite: "cross-site", .fetchMode: "navigate"]) == 200)
        #expect(await status("GET", [.origin: "https://evil.example"]) == 403)
        #expect(await status("POST", [:]) == 403)
        #expect(await status("POST", [.fetchSite: "cross-site"]) == 403)
        #expect(await status("POST", [.fetchSite: "same-site"]) == 403)
        #expect(await status("DELETE", [.origin: "https://evil.example"]) == 403)
        #expect(await status("POST", [.origin: "https://app.example.com"]) == 200)
        #expect(await status("POST", [.fetchSite: "same-origin"]) == 200)
        #expect(await status("PUT", [.origin: "https://spa.example.com"]) == 200)
    }

    @Test("A proxy that does not say the method lets nobody in, and its operator is told")
    func noMethod() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let check = try GatewayCheck(world.web)
        let twice = HTTPFields([
            HTTPField(name: .forwardedMethod, value: "GET"), HTTPField(name: .forwardedMethod, value: "POST"),
        ])
        for fields in [[:], twice, [.forwardedMethod: ""]] as [HTTPFields] {
            let answer = await browser.send(check, .get, "/", fields)
            #expect(answer.status == .forbidden && answer.reason?.concern == .operator)
        }
    }

    @Test("A gateway with strict cookies is refused: it would lead from the sign-in to the sign-in")
    func strict() throws {
        #expect(throws: SignInError.self) { try GatewayCheck(BrowserWorld(sameSite: .strict).web) }
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        var fields = self
        for field in others { fields[field.name] = field.value }
        return fields
    }
}
