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

    @Test("A browser with a session is admitted with the user's name, and without a token")
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
        world.clock.advance(by: .seconds(3600))
        let next = user(await browser.send(passing, .get, "/", Self.visit), "Access-Token") ?? ""
        #expect(next.count > 20 && next != token)
    }

    @Test(
        "A request with an identity field written by the client is rejected, in any spelling of the field",
        arguments: [
            "X-Auth-Request-User", "X-Auth-Request-Groups", "x-auth-request-access-token", "X_Auth_Request_Groups",
            "X-Auth_Request-Email", "X-AUTH-REQUEST-ANYTHING",
        ]
    )
    func smuggled(name: String) async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        var fields = Self.visit
        fields[HTTPField.Name(name)!] = "admin"
        let answer = await browser.send(try GatewayCheck(world.web), .get, "/", fields)
        #expect(answer.status == .forbidden && answer.reason?.name == "gateway_identity_field")
        #expect(!answer.fields.contains { $0.value.contains("admin") } && user(answer) == nil)
        #expect(await browser.send(try GatewayCheck(world.web), .get, "/", Self.visit).status == .ok)
    }

    @Test("A claim cannot become two names or another field")
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

    @Test("An unverified email address is passed on only where that is configured")
    func unverified() async throws {
        let world = try BrowserWorld(claims: ["email": "admin@example.com"])
        let browser = TestBrowser(world)
        try await browser.signIn()
        #expect(user(await browser.send(try GatewayCheck(world.web), .get, "/", Self.visit), "Email") == "")
        let trusting = try GatewayCheck(world.web, acceptsUnverifiedEmail: true)
        #expect(user(await browser.send(trusting, .get, "/", Self.visit), "Email") == "admin@example.com")
    }

    @Test("A user outside of the groups is rejected, and so is one whose groups no header field can hold")
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

    @Test("A request without a session gets 401, or a redirect to the sign-in for a page")
    func nobody() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let page = Self.visit.merging([.accept: "text/html,*/*"])
        #expect(await browser.send(try GatewayCheck(world.web), .get, "/", page).status == .unauthorized)
        let redirecting = try GatewayCheck(world.web, refusal: .redirect)
        let answer = await browser.send(redirecting, .get, "/", page)
        #expect(answer.status == .found)
        // Traefik resolves a relative one at this service's own address.
        #expect(answer.location == "https://app.example.com/web/login?return_to=%2Freports%3Fa%3D1%26b%3D2")
        #expect(await browser.send(redirecting, .get, "/", Self.visit).status == .unauthorized)
        let script = page.merging([.fetchMode: "cors"])
        #expect(await browser.send(redirecting, .get, "/", script).status == .unauthorized)
        let post = page.merging([.forwardedMethod: "POST", .origin: "https://app.example.com"])
        #expect(await browser.send(redirecting, .get, "/", post).status == .unauthorized)
        let elsewhere = page.merging([.forwardedURI: "//evil.example"])
        #expect(await browser.send(redirecting, .get, "/", elsewhere).location == "https://app.example.com/web/login")
    }

    @Test("A form or script of another origin is rejected with a user's session, and a link is not")
    func foreignPage() async throws {
        let world = try BrowserWorld(origins: ["https://spa.example.com"])
        let browser = TestBrowser(world)
        try await browser.signIn()
        let check = try GatewayCheck(world.web)
        func status(_ method: String, _ fields: HTTPFields) async -> Int {
            let visit = Self.visit.merging([.forwardedMethod: method]).merging(fields)
            return await browser.send(check, .get, "/", visit).status.code
        }
        #expect(await status("GET", .link) == 200)
        #expect(await status("GET", HTTPFields.link.merging([.fetchSite: "same-site"])) == 200)
        #expect(await status("GET", [.fetchSite: "none", .fetchMode: "navigate"]) == 200)
        #expect(await status("GET", [.fetchSite: "same-origin", .fetchMode: "cors"]) == 200)
        #expect(await status("GET", HTTPFields.link.merging([.fetchDestination: "iframe"])) == 403)
        #expect(await status("GET", [.fetchSite: "same-site", .fetchMode: "cors"]) == 403)
        #expect(await status("GET", [.fetchSite: "same-site", .fetchMode: "no-cors"]) == 403)
        #expect(await status("GET", [.fetchSite: "cross-site", .fetchMode: "no-cors"]) == 403)
        #expect(await status("HEAD", .link) == 403)
        #expect(await status("POST", .link) == 403)
        #expect(await status("GET", [.origin: "https://evil.example"]) == 403)
        #expect(await status("POST", [:]) == 403)
        #expect(await status("POST", [.fetchSite: "cross-site"]) == 403)
        #expect(await status("POST", [.fetchSite: "same-site"]) == 403)
        #expect(await status("DELETE", [.origin: "https://evil.example"]) == 403)
        #expect(await status("POST", [.origin: "https://app.example.com"]) == 200)
        #expect(await status("POST", [.fetchSite: "same-origin"]) == 200)
        #expect(await status("PUT", [.origin: "https://spa.example.com"]) == 200)
    }

    @Test("A session that ends during a refresh leads to the sign-in")
    func endedWhileRefreshing() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.clock.advance(by: .seconds(3600))
        let refused = EndpointResponse(
            status: .badRequest,
            fields: [.contentType: "application/json"],
            body: (["error": "invalid_grant"] as JSONObject).encoded()
        )
        world.network.script("/token", refused)
        let check = try GatewayCheck(world.web, refusal: .redirect, passesAccessToken: true)
        let answer = await browser.send(check, .get, "/", Self.visit.merging([.accept: "text/html"]))
        #expect(answer.status == .found && answer.location?.hasPrefix("https://app.example.com/web/login") == true)
        #expect(user(answer) == nil && answer.reason?.name == "session_ended")
    }

    @Test("Identity fields longer than a proxy reads are rejected, and reported to the operator")
    func tooLong() async throws {
        let long = String(repeating: "a", count: 1700)
        let world = try BrowserWorld(claims: ["preferred_username": .string(long), "groups": [.string(long)]])
        let browser = TestBrowser(world)
        try await browser.signIn()
        let answer = await browser.send(try GatewayCheck(world.web), .get, "/", Self.visit)
        #expect(answer.status == .forbidden && answer.reason?.concern == .operator)
    }

    @Test("An email address is verified only by the source that names it")
    func mixedClaims() async throws {
        var manners = ProviderManners.strict
        manners.userClaimsInIDToken = .present
        func email(_ idToken: JSONObject, _ userInfo: JSONObject) async throws -> String? {
            let world = try BrowserWorld(claims: idToken, manners: manners)
            var members: JSONObject = ["sub": "alice-subject"]
            for member in userInfo.members { members[member.name] = member.value }
            world.network.script(
                "/userinfo",
                EndpointResponse(fields: [.contentType: "application/json"], body: members.encoded())
            )
            let browser = TestBrowser(world)
            try await browser.signIn()
            return user(await browser.send(try GatewayCheck(world.web), .get, "/", Self.visit), "Email")
        }
        let (ceo, own): (JSONObject, JSONObject) = (["email": "ceo@example.com"], ["email": "a@example.com"])
        var verified = own
        verified["email_verified"] = true
        #expect(try await email(ceo, ["email_verified": true]) == "")
        #expect(try await email(ceo, verified) == "")
        #expect(try await email(["email_verified": true], ceo) == "")
        #expect(try await email(own, verified) == "a@example.com")
        #expect(try await email(verified, [:]) == "a@example.com")
        #expect(try await email([:], verified) == "a@example.com")
    }

    @Test("A removed group is effective once the claims are five minutes old")
    func regrouped() async throws {
        let world = try BrowserWorld(claims: ["groups": ["staff"]])
        let browser = TestBrowser(world)
        try await browser.signIn()
        let check = try GatewayCheck(world.web, admitting: ["staff"])
        let members: JSONObject = ["sub": "alice-subject", "groups": ["guests"]]
        world.network.script(
            "/userinfo",
            EndpointResponse(fields: [.contentType: "application/json"], body: members.encoded())
        )
        world.clock.advance(by: .seconds(299))
        #expect(await browser.send(check, .get, "/", Self.visit).status == .ok)
        world.clock.advance(by: .seconds(1))
        #expect(await browser.send(check, .get, "/", Self.visit).status == .forbidden)
        #expect(await browser.send(check, .get, "/", Self.visit).status == .forbidden)
        #expect(world.network.count("/userinfo") == 2)
    }

    @Test("A session ended by the issuer stays valid until its access token is due for a refresh")
    func endedAtIssuer() async throws {
        let world = try BrowserWorld(readsUserInfo: false)
        let browser = TestBrowser(world)
        try await browser.signIn()
        let refused = EndpointResponse(
            status: .badRequest,
            fields: [.contentType: "application/json"],
            body: (["error": "invalid_grant"] as JSONObject).encoded()
        )
        world.network.script("/token", refused)
        let check = try GatewayCheck(world.web)
        #expect(await browser.send(check, .get, "/", Self.visit).status == .ok)
        world.clock.advance(by: .seconds(3600))
        #expect(await browser.send(check, .get, "/", Self.visit).status == .unauthorized)
    }

    @Test("Groups that could not be read yield 503, and are read once the issuer is back")
    func missingClaims() async throws {
        let world = try BrowserWorld(claims: ["groups": ["staff"]])
        world.network.fail("/userinfo")
        let browser = TestBrowser(world)
        try await browser.signIn()
        let check = try GatewayCheck(world.web, admitting: ["staff"])
        let answer = await browser.send(check, .get, "/", Self.visit)
        #expect(answer.status == .serviceUnavailable && answer.fields[.retryAfter] == "30")
        world.network.fail(nil)
        // The endpoint is left alone for a while after the sign-in's request.
        #expect(await browser.send(check, .get, "/", Self.visit).status == .serviceUnavailable)
        world.clock.advance(by: .seconds(31))
        #expect(await browser.send(check, .get, "/", Self.visit).status == .ok)
        #expect(world.network.count("/userinfo") == 2)
    }

    @Test("While the UserInfo endpoint is down the earlier claims stay in use")
    func staleClaims() async throws {
        let world = try BrowserWorld(claims: ["groups": ["staff"]])
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.network.fail("/userinfo")
        world.clock.advance(by: .seconds(301))
        let check = try GatewayCheck(world.web, admitting: ["staff"])
        #expect(await browser.send(check, .get, "/", Self.visit).status == .ok)
        #expect(await browser.send(check, .get, "/", Self.visit).status == .ok)
        #expect(world.network.count("/userinfo") == 2)
    }

    @Test("A proxy that does not pass the method is rejected, and reported to the operator")
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

    @Test("A gateway with strict cookies is refused as configuration")
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
