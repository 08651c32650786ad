import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Signing in")
struct LoginTests {
    @Test("A wrong password and an unknown name get the same page and message")
    func wrongPassword() async throws {
        let world = try World()
        let wrong = try await world.browser().signIn(password: "wrong")
        let unknown = try await world.browser().signIn(name: "carol")
        #expect(wrong.loginPage?.failure == "The name or the password is wrong.")
        #expect(unknown.loginPage?.failure == wrong.loginPage?.failure)
        #expect(unknown.status == wrong.status)
    }

    @Test("After a wrong password the same page accepts the right one")
    func secondTry() async throws {
        let browser = try World().browser()
        let page = try #require(try await browser.signIn(password: "wrong").loginPage)
        let response = await browser.submit(page.form, ["username": "alice", "password": "correct horse"])
        #expect(response.redirect?.parameters[.code] != nil)
    }

    @Test("Ten wrong passwords lock a name for five minutes, for the right password as well")
    func throttle() async throws {
        let world = try World()
        for _ in 0..<10 { _ = try await world.browser().signIn(password: "wrong") }
        let closed = try await world.browser().signIn()
        #expect(closed.status == .tooManyRequests)
        #expect(closed.fields[.retryAfter] == "300")
        let failure = "Too many wrong passwords for this name. Try again in 5 minutes."
        #expect(closed.loginPage?.failure == failure)
        #expect(try await world.browser().signIn(name: "bob", password: "battery staple").redirect != nil)
        world.clock.advance(by: .seconds(301))
        #expect(try await world.browser().signIn().redirect != nil)
    }

    @Test("An unknown name is locked like any other")
    func throttleOfUnknownNames() async throws {
        let world = try World()
        for _ in 0..<10 { _ = try await world.browser().signIn(name: "carol") }
        #expect(try await world.browser().signIn(name: "carol").status == .tooManyRequests)
    }

    @Test("The right password resets the count of wrong ones")
    func throttleReset() async throws {
        let world = try World()
        for _ in 0..<9 { _ = try await world.browser().signIn(password: "wrong") }
        _ = try await world.browser().signIn()
        for _ in 0..<9 { _ = try await world.browser().signIn(password: "wrong") }
        #expect(try await world.browser().signIn().redirect != nil)
    }

    @Test("A user who cancels the sign-in page sends access_denied to the client")
    func cancel() async throws {
        let browser = try World().browser()
        let page = try #require(await browser.authorize().loginPage)
        let response = await browser.submit(page.form, [:], .refuse)
        #expect(response.redirectError == "access_denied")
        #expect(response.redirect?.parameters[.state] == "the state")
    }

    @Test("A sign-in form without its CSRF token is rejected", arguments: [nil, "", "forged"])
    func csrf(token: String?) async throws {
        let browser = try World().browser()
        let page = try #require(await browser.authorize().loginPage)
        let response = await browser.submit(page.form, ["username": "alice", "password": "correct horse"]) {
            $0[Parameters.Name(rawValue: PageInput.csrf)] = token
        }
        #expect(response.status == .forbidden)
        #expect(browser.cookie("session") == nil)
    }

    @Test("Every sign-in page has its own CSRF token")
    func csrfPerInteraction() async throws {
        let browser = try World().browser()
        let first = try #require(await browser.authorize().loginPage)
        let second = try #require(await browser.authorize().loginPage)
        #expect(first.form.csrfToken != second.form.csrfToken)
        let response = await browser.submit(second.form, ["username": "alice", "password": "correct horse"]) {
            $0[Parameters.Name(rawValue: PageInput.csrf)] = first.form.csrfToken
        }
        #expect(response.status == .forbidden)
    }

    @Test("A sign-in page of one browser is rejected from another")
    func otherBrowser() async throws {
        let world = try World()
        let (mine, other) = (world.browser(), world.browser())
        let page = try #require(await mine.authorize().loginPage)
        _ = await other.authorize()
        let response = await other.submit(page.form, ["username": "alice", "password": "correct horse"])
        #expect(response.status == .forbidden)
        #expect(other.cookie("session") == nil)
    }

    @Test("An expired sign-in page is rejected")
    func expiredPage() async throws {
        let world = try World { $0.lifetimes.interaction = .seconds(30) }
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        world.clock.advance(by: .seconds(30))
        let response = await browser.submit(page.form, ["username": "alice", "password": "correct horse"])
        #expect(response.errorSentence != nil)
    }

    @Test("A sign-in page can be answered once")
    func singleUse() async throws {
        let browser = try World().browser()
        let page = try #require(await browser.authorize().loginPage)
        let inputs: KeyValuePairs<Parameters.Name, String> = ["username": "alice", "password": "correct horse"]
        #expect(await browser.submit(page.form, inputs).redirect != nil)
        #expect(await browser.submit(page.form, inputs).errorSentence != nil)
    }

    @Test("The cookies are bound to the host, HttpOnly and SameSite=Lax")
    func cookies() async throws {
        let browser = try World().browser()
        let page = await browser.authorize()
        let session = await browser.submit(
            try #require(page.loginPage).form,
            ["username": "alice", "password": "correct horse"]
        )
        for cookie in page.cookies + session.cookies {
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
        }
        #expect(page.cookies.count == 2 && session.cookies.count == 1)
    }

    @Test("With https the cookies are Secure and have the __Host- prefix")
    func secureCookies() async throws {
        let world = try World(issuer: "https://id.example.com")
        let cookie = try #require(await world.browser().authorize().cookies.first)
        #expect(cookie.hasPrefix("__Host-ostiary-browser-"))
        #expect(cookie.hasSuffix("; Secure"))
    }

    @Test("Two windows of a new browser that open at once can both sign in")
    func windowsAtOnce() async throws {
        let world = try World()
        let (first, second) = (world.browser(), world.browser())
        let pages = [await first.authorize(), await second.authorize()]
        // One browser in truth: the second page's cookies arrive after the first's.
        first.copyCookies(of: second, replacing: false)
        for page in pages {
            let form = try #require(page.loginPage).form
            let answer = await first.submit(form, ["username": "alice", "password": "correct horse"])
            #expect(answer.redirect?.parameters[.code] != nil)
        }
    }

    @Test("The cookie of one first visit does not open another interaction")
    func firstVisitOfOneInteraction() async throws {
        let world = try World()
        let (owner, other) = (world.browser(), world.browser())
        let form = try #require(await owner.authorize().loginPage).form
        _ = await other.authorize()
        let answer = await other.submit(form, ["username": "alice", "password": "correct horse"])
        #expect(answer.status == .forbidden)
    }

    @Test("Two providers on one machine use different cookies")
    func cookiesPerIssuer() async throws {
        let first = try #require(await World().browser().authorize().cookies.first)
        let second = try #require(await World(issuer: "http://127.0.0.1:9090").browser().authorize().cookies.first)
        #expect(first.prefix { $0 != "=" } != second.prefix { $0 != "=" })
    }

    @Test("A session cookie planted before the sign-in is worthless after it")
    func fixation() async throws {
        let world = try World()
        let browser = world.browser()
        _ = try await browser.signIn()
        let planted = browser.cookie("session")
        let response = try await browser.signIn(.authorization { $0[.prompt] = "login" })
        #expect(response.redirect?.parameters[.code] != nil)
        #expect(browser.cookie("session") != planted)
        browser.setCookie("session", planted)
        #expect(await browser.authorize().loginPage != nil)
    }

    @Test("A signed-in user gets no sign-in page until the session expires")
    func session() async throws {
        let world = try World { $0.lifetimes.loginSession = .seconds(30) }
        let browser = world.browser()
        _ = try await browser.signIn()
        world.clock.advance(by: .seconds(29))
        #expect(await browser.authorize().redirect?.parameters[.code] != nil)
        world.clock.advance(by: .seconds(1))
        #expect(await browser.authorize().loginPage != nil)
    }

    @Test("A browser cookie that the provider did not issue is replaced", arguments: ["", "guessed"])
    func plantedBrowserCookie(value: String) async throws {
        let world = try World()
        let cookie = try #require(await world.browser().authorize().cookies.first)
        let planted = "\(cookie.prefix { $0 != "=" })=\(value)"
        let query = FormURLEncoding.encode(.authorization())
        let response = await world.get("/authorize", query: query, fields: [.cookie: planted])
        #expect(response.cookies.count == 2)
    }

    @Test("A repeated cookie is ignored, since one of the two may be planted")
    func repeatedCookie() async throws {
        let world = try World()
        let browser = world.browser()
        _ = try await browser.signIn()
        let name = try #require(await world.browser().authorize().cookies.first).prefix { $0 != "=" }
            .replacing("browser", with: "session")
        let value = try #require(browser.cookie("session"))
        let query = FormURLEncoding.encode(.authorization())
        let once = await world.get("/authorize", query: query, fields: [.cookie: "\(name)=\(value)"])
        let twice = await world.get("/authorize", query: query, fields: [.cookie: "\(name)=\(value); \(name)=other"])
        #expect(once.redirect != nil)
        #expect(twice.loginPage != nil)
    }

    @Test(
        "A client can require a new sign-in",
        arguments: [
            Parameters.authorization { $0[.prompt] = "login" }, .authorization { $0[.prompt] = "select_account" },
            .authorization { $0[.maxAge] = "0" }, .authorization { $0[.maxAge] = "59" },
        ]
    )
    func newSignIn(request: Parameters) async throws {
        let world = try World()
        let browser = world.browser()
        _ = try await browser.signIn()
        world.clock.advance(by: .seconds(60))
        #expect(await browser.authorize(request).loginPage != nil)
    }

    @Test("max_age=0 requires a new sign-in at once")
    func maximumAgeZero() async throws {
        let browser = try World().browser()
        _ = try await browser.signIn()
        #expect(await browser.authorize(.authorization { $0[.maxAge] = "0" }).loginPage != nil)
    }

    @Test("A consent page's form is rejected as a sign-in")
    func passwordForConsent() async throws {
        let browser = try World().browser()
        let response = try await browser.signIn(.authorization { $0[.clientID] = "stranger" })
        var form = try #require(try await browser.follow(response).consentPage).form
        form.action = form.action.replacing("/consent", with: "/login")
        #expect(await browser.submit(form, ["username": "alice", "password": "correct horse"]).errorSentence != nil)
    }

    @Test("A sign-in within max_age is reused")
    func youngEnough() async throws {
        let world = try World()
        let browser = world.browser()
        _ = try await browser.signIn()
        world.clock.advance(by: .seconds(60))
        let response = await browser.authorize(.authorization { $0[.maxAge] = "60" })
        #expect(response.redirect?.parameters[.code] != nil)
    }

    @Test("prompt=none gets a code when no page is needed")
    func promptNone() async throws {
        let browser = try World().browser()
        _ = try await browser.signIn()
        let response = await browser.authorize(.authorization { $0[.prompt] = "none" })
        #expect(response.redirect?.parameters[.code] != nil)
    }

    @Test("prompt=none with another user's ID token hint gets login_required")
    func idTokenHint() async throws {
        let world = try World()
        let browser = world.browser()
        let hint = try #require(try await world.tokens().id)
        _ = try await browser.signIn(name: "bob", password: "battery staple")
        let request = Parameters.authorization {
            $0[.idTokenHint] = hint
            $0[.prompt] = "none"
        }
        #expect(await browser.authorize(request).redirectError == "login_required")
    }

    @Test("A user other than the hinted one signs in and the client gets login_required")
    func otherPersonThanHinted() async throws {
        let world = try World()
        let hint = try #require(try await world.tokens().id)
        let response = try await world.browser().signIn(
            .authorization { $0[.idTokenHint] = hint },
            name: "bob",
            password: "battery staple"
        )
        #expect(response.redirectError == "login_required")
    }

    @Test("An ID token hint of another issuer is rejected, even with the same key")
    func foreignHint() async throws {
        let other = try World(issuer: "http://127.0.0.1:9090")
        let hint = try #require(try await other.tokens().id)
        let response = await (try World()).browser().authorize(.authorization { $0[.idTokenHint] = hint })
        #expect(response.redirectError == "invalid_request")
    }

    @Test("An access token is rejected as an ID token hint")
    func accessTokenAsHint() async throws {
        let world = try World()
        let token = try await world.tokens().access
        let response = await world.browser().authorize(.authorization { $0[.idTokenHint] = token })
        #expect(response.redirectError == "invalid_request")
    }

    @Test("A password over the limit is rejected without hashing it")
    func longPassword() async throws {
        let response = try await World().browser().signIn(password: String(repeating: "a", count: 2000))
        #expect(response.loginPage?.failure != nil)
    }
}
