import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The sign-in of a web app")
struct BrowserSignInTests {
    @Test("A browser signs in, and gets a cookie that no script reads and no other host sets")
    func journey() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let page = try await browser.login("?return_to=%2Forders%3Fpage%3D2")
        #expect(page.absoluteString.hasPrefix(BrowserWorld.issuer))
        let binding = try #require(browser.cookies.first)
        #expect(browser.cookies.count == 1 && binding.key.hasPrefix("__Host-ostiary-sign-in-"))
        let answer = await browser.callback(try await browser.visit(page))
        #expect(answer.status == .seeOther && answer.location == "/orders?page=2")
        #expect(answer.fields[.cacheControl] == "no-store")
        #expect(answer.fields[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
        let cookies = answer.fields[values: .setCookie]
        #expect(cookies.count == 2 && browser.cookies.keys.sorted() == ["__Host-ostiary"])
        let session = try #require(cookies.first { $0.hasPrefix("__Host-ostiary=") })
        let handle = try #require(browser.session)
        #expect(
            session
                == "__Host-ostiary=\(handle); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=2592000"
        )
        let seen = await browser.send(world.web.session)
        #expect(seen.status == .ok && seen.object["sub"] == "alice-subject")
        #expect(seen.object["claims"]?.object?["email"] == "a@example.com")
        #expect(seen.object["claims"]?.object?["name"] == "Alice")
        #expect(!seen.text.contains("token"))
    }

    @Test("A strict session's cookie is SameSite=Strict, and the sign-in's cookie stays Lax")
    func strict() async throws {
        let browser = TestBrowser(try BrowserWorld(sameSite: .strict))
        let answer = try await browser.signIn()
        #expect(answer.fields[values: .setCookie].contains { $0.hasPrefix("__Host-ostiary=") && $0.contains("Strict") })
        let start = await browser.send(try BrowserWorld(sameSite: .strict).web.login)
        #expect(start.fields[values: .setCookie].map { $0.contains("SameSite=Lax") } == [true])
    }

    @Test(
        "A sign-in with strict cookies ends the browser's earlier session, which the issuer's redirect does not carry"
    )
    func strictReplacement() async throws {
        let world = try BrowserWorld(sameSite: .strict)
        let browser = TestBrowser(world)
        try await browser.signIn()
        let first = try #require(browser.session)
        try await browser.signIn()
        let second = try #require(browser.session)
        #expect(first != second)
        #expect(await browser.send(world.web.session).status == .ok)
        let old: HTTPFields = [.cookie: "__Host-ostiary=\(first)"]
        #expect(await browser.send(world.web.session, .get, "/", old).status == .unauthorized)
    }

    // MARK: Attacks

    @Test("A callback of another browser's sign-in is rejected, and that browser can still finish it")
    func stolenCallback() async throws {
        let world = try BrowserWorld()
        let attacker = TestBrowser(world)
        let victim = TestBrowser(world, name: "bob")
        let callback = try await attacker.visit(try await attacker.login())
        let answer = await victim.callback(callback)
        #expect(answer.status == .badRequest && victim.session == nil)
        #expect(answer.reason?.name == "browser_binding")
        #expect(world.network.count("/token") == 0)
        // The one who started it is not hurt by the attempt.
        #expect(await attacker.callback(callback).status == .seeOther)
    }

    @Test("A callback of another browser is rejected while a sign-in is in progress")
    func crossedCallback() async throws {
        let world = try BrowserWorld()
        let (attacker, victim) = (TestBrowser(world), TestBrowser(world, name: "bob"))
        _ = try await victim.login()
        let answer = await victim.callback(try await attacker.visit(try await attacker.login()))
        #expect(answer.status == .badRequest && victim.session == nil)
    }

    @Test("The binding cookie of one sign-in does not open another, also under its name")
    func foreignBinding() async throws {
        let world = try BrowserWorld()
        let (attacker, victim) = (TestBrowser(world), TestBrowser(world, name: "bob"))
        let callback = try await attacker.visit(try await attacker.login())
        _ = try await victim.login()
        let (name, own) = (try #require(attacker.cookies.keys.first), try #require(victim.cookies.values.first))
        victim.plant(name, own)
        let answer = await victim.callback(callback)
        #expect(answer.status == .badRequest && answer.reason?.name == "unknown_sign_in" && victim.session == nil)
    }

    @Test("A callback repeated within a minute returns the same session, and later it is rejected")
    func replayedCallback() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let callback = try await browser.visit(try await browser.login("?return_to=/x"))
        let cookies = browser.cookies
        #expect(await browser.callback(callback).status == .seeOther)
        let session = browser.session
        for (name, value) in cookies { browser.plant(name, value) }
        browser.plant("__Host-ostiary", nil)
        let again = await browser.callback(callback)
        #expect(again.location == "/x" && session != nil && browser.session == session)
        for (name, value) in cookies { browser.plant(name, value) }
        // Another code of the same sign-in is not the one that was redeemed.
        let other = await browser.callback(callback.replacing("code=", with: "code=a"))
        #expect(other.status == .badRequest)
        world.clock.advance(by: .seconds(61))
        for (name, value) in cookies { browser.plant(name, value) }
        #expect(await browser.callback(callback).status == .badRequest)
        #expect(world.network.count("/token") == 1)
    }

    @Test("A sign-in that took longer than ten minutes is rejected")
    func lateCallback() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let page = try await browser.login()
        world.clock.advance(by: .seconds(601))
        let answer = await browser.callback(try await browser.visit(page))
        #expect(answer.status == .badRequest && answer.reason?.name == "unknown_sign_in" && browser.session == nil)
    }

    @Test("A planted session cookie is replaced by the sign-in, and its session ends")
    func fixation() async throws {
        let world = try BrowserWorld()
        let (attacker, victim) = (TestBrowser(world), TestBrowser(world, name: "bob"))
        try await attacker.signIn()
        let planted = try #require(attacker.session)
        victim.plant("__Host-ostiary", planted)
        try await victim.signIn()
        #expect(victim.session != nil && victim.session != planted)
        #expect(await victim.send(world.web.session).object["sub"] == "bob-subject")
        #expect(await attacker.send(world.web.session).status == .unauthorized)
    }

    @Test(
        "A return address at another site is rejected",
        arguments: [
            "https://evil.example/", "//evil.example/", "///evil.example", "/\\evil.example", "\\\\evil.example",
            "https:/evil.example", "https:evil.example", "javascript:alert(1)", "data:text/html,x", "evil.example",
            "/\tevil", "/a\r\nSet-Cookie: a=b", "/ä", "https://app.example.com@evil.example/",
            "https://app.example.com.evil.example/", "https://app.example.com\\@evil.example/",
            "http://app.example.com/", "https://app.example.com:444/", "https://spa.example.com/", "", "/a b",
            "/" + String(repeating: "a", count: 2048),
        ]
    )
    func openRedirect(address: String) async throws {
        let browser = TestBrowser(try BrowserWorld())
        let world = try BrowserWorld()
        let query = "?return_to=" + FormURLEncoding.escape(address)
        let answer = await browser.send(world.web.login, .get, "/web/login" + query)
        #expect(answer.status == .badRequest && answer.location == nil && browser.cookies.isEmpty)
    }

    @Test(
        "A sign-in returns to the service's own or a configured origin, or to the landing page by default"
    )
    func returnAddresses() async throws {
        let world = try BrowserWorld(origins: ["https://spa.example.com"], landing: "/home")
        let browser = TestBrowser(world)
        for (query, place) in [
            ("", "/home"), ("?return_to=%2Fa%2F..%2F%2Fb%3Fc%23d", "/a/..//b?c#d"),
            ("?return_to=https%3A%2F%2Fspa.example.com%2Fx", "https://spa.example.com/x"),
            ("?return_to=https%3A%2F%2Fapp.example.com%2Fx", "https://app.example.com/x"),
        ] {
            #expect(try await browser.signIn(query).location == place)
        }
        let twice = await browser.send(world.web.login, .get, "/web/login?return_to=/a&return_to=/b")
        #expect(twice.status == .badRequest)
    }

    @Test("A sign-in returns to the gateway's page, and not to the sign-in's own address")
    func forwardedAddress() async throws {
        let world = try BrowserWorld(landing: "/home")
        let browser = TestBrowser(world)
        for (address, place) in [
            ("/reports?a=1&b=2", "/reports?a=1&b=2"), ("/web/login?return_to=/", "/home"), ("//evil.example", "/home"),
            ("https://app.example.com/x", "/home"),
        ] {
            let page = try await browser.login("", [.forwardedURI: address])
            #expect(await browser.callback(try await browser.visit(page)).location == place)
        }
    }

    @Test("A sign-in at a host's root returns to the gateway's pages, not to its own endpoints")
    func rootBase() async throws {
        let world = try BrowserWorld(landing: "/home", base: "https://app.example.com")
        let browser = TestBrowser(world)
        for (address, place) in [
            ("/reports?a=1", "/reports?a=1"), ("/login?return_to=/", "/home"), ("/callback?code=c", "/home"),
            ("/sessions", "/home"), ("/logout", "/home"), ("/session?a", "/home"), ("/logins", "/logins"),
        ] {
            let page = try await browser.login("", [.forwardedURI: address])
            #expect(await browser.callback(try await browser.visit(page)).location == place)
        }
    }

    @Test("A script that requests the sign-in's address is rejected")
    func fetched() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        #expect(await browser.send(world.web.login, .get, "/web/login", [.fetchMode: "cors"]).status == .badRequest)
        #expect(await browser.send(world.web.login, .get, "/web/login", [.fetchMode: "navigate"]).status == .seeOther)
        let script: HTTPFields = [.fetchMode: "cors", .forwardedURI: "/data"]
        #expect(await browser.send(world.web.login, .get, "/web/login", script).status == .unauthorized)
    }

    // MARK: Failures

    @Test("Several windows of one browser sign in at once, and the eighth drops the earlier ones")
    func windows() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let first = try await browser.login("?return_to=/one")
        let second = try await browser.login("?return_to=/two")
        #expect(await browser.callback(try await browser.visit(first)).location == "/one")
        #expect(await browser.callback(try await browser.visit(second)).location == "/two")
        for _ in 0..<7 { _ = try await browser.login() }
        #expect(browser.cookies.count == 8)
        _ = try await browser.login()
        #expect(browser.cookies.count == 2)
    }

    @Test(
        "After an unreachable token endpoint the same callback completes the sign-in"
    )
    func unreachable() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let callback = try await browser.visit(try await browser.login("?return_to=/x"))
        world.network.fail("/token")
        let answer = await browser.callback(callback)
        #expect(answer.status == .serviceUnavailable && answer.fields[.retryAfter] == "1")
        world.network.fail(nil)
        #expect(await browser.callback(callback).location == "/x")
    }

    @Test("An issuer's refusal is shown to the user in plain words, and begins no session")
    func refused() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let page = try await browser.login()
        let state = try #require(FormURLEncoding.decode(page.query(percentEncoded: true) ?? "")?[.state])
        let issuer = FormURLEncoding.escape(BrowserWorld.issuer)
        let answer = await browser.callback("/web/callback?error=access_denied&state=\(state)&iss=\(issuer)")
        #expect(answer.status == .forbidden && answer.text.contains("cancelled") && browser.cookies.isEmpty)
    }

    @Test(
        "A malformed callback is rejected",
        arguments: ["", "?code=c", "?state=s&state=s&code=c", "?state=&code=c", "?state=s&code=%FF"]
    )
    func noResponse(query: String) async throws {
        let answer = await TestBrowser(try BrowserWorld()).callback("/web/callback" + query)
        #expect(answer.status == .badRequest && answer.reason?.name == "authorization_response")
    }

    @Test("A callback from another issuer is rejected before the code is sent")
    func mixUp() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        let callback = try await browser.visit(try await browser.login())
        let own = "iss=" + FormURLEncoding.escape(BrowserWorld.issuer)
        #expect(callback.contains(own))
        let answer = await browser.callback(callback.replacing(own, with: "iss=https%3A%2F%2Fevil.example"))
        #expect(answer.status == .badRequest && world.network.count("/token") == 0 && browser.session == nil)
    }

    @Test("A sender over the limit of sign-ins or callbacks a minute gets 429")
    func limit() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        for _ in 0..<20 { _ = try await browser.login() }
        let answer = await browser.send(world.web.login)
        #expect(answer.status == .tooManyRequests && answer.fields[.retryAfter] != nil)
        // A page that embeds the addresses, or makes callbacks up, uses up nothing.
        for _ in 0..<21 {
            #expect(await browser.callback("/web/callback").status == .badRequest)
            #expect(await browser.callback("/web/callback?state=s&code=c").reason?.name == "browser_binding")
        }
        let other = try BrowserWorld()
        let visitor = TestBrowser(other)
        for field in [[.fetchMode: "no-cors"], [.fetchMode: "navigate", .fetchDestination: "iframe"]] as [HTTPFields] {
            for _ in 0..<21 {
                #expect(await visitor.send(other.web.login, .get, "/web/login", field).status == .badRequest)
            }
        }
        let page = try await visitor.login()
        let state = try #require(FormURLEncoding.decode(page.query(percentEncoded: true) ?? "")?[.state])
        let cookies = visitor.cookies
        var last = await visitor.callback("/web/callback?state=\(state)&code=c")
        for _ in 0..<20 {
            for (name, value) in cookies { visitor.plant(name, value) }
            last = await visitor.callback("/web/callback?state=\(state)&code=c")
        }
        #expect(last.status == .tooManyRequests)
    }

    @Test("A sign-in succeeds without the UserInfo endpoint, which is read only when configured")
    func userInfo() async throws {
        let world = try BrowserWorld()
        world.network.fail("/userinfo")
        let browser = TestBrowser(world)
        #expect(try await browser.signIn().status == .seeOther)
        #expect(world.events.all == [.withoutUserInfo] && world.events.begun == 1)
        #expect(await browser.send(world.web.session).object["claims"] == [:])
        let other = try BrowserWorld(readsUserInfo: false)
        try await TestBrowser(other).signIn()
        #expect(other.network.count("/userinfo") == 0)
    }

    // MARK: Settings

    @Test("An invalid sign-in configuration is refused with the value that would work")
    func settings() throws {
        let world = try BrowserWorld()
        func sentence(
            at base: String = BrowserWorld.base,
            scopes: [Scope] = [.openID],
            landing: String = "/"
        ) -> String? {
            do throws(SignInError) {
                _ = try BrowserSignIn(
                    sessions: world.sessions,
                    at: ExternalOrigin(base),
                    request: AuthorizationRequest(scopes: scopes),
                    landing: landing,
                    store: world.store
                )
                return nil
            } catch {
                guard case .configuration(let sentence) = error.reason else { return nil }
                return sentence
            }
        }
        #expect(sentence() == nil)
        #expect(sentence(at: "https://app.example.com")?.contains("https://app.example.com/callback") == true)
        #expect(sentence(scopes: [.profile])?.contains("openid") == true)
        #expect(sentence(landing: "https://evil.example/")?.contains("landing") == true)
        for name in ["", "a b", "a;b", "ä", String(repeating: "a", count: 33)] {
            #expect(throws: SignInError.self) { try BrowserCookies(name: name) }
        }
    }
}
