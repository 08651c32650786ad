import HTTPTypes
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Consent")
struct ConsentTests {
    private static let request = Parameters.authorization { $0[.clientID] = "stranger" }

    /// Signs in and comes to the consent page.
    private func consentPage(_ browser: Browser, _ request: Parameters = request) async throws -> ConsentPage {
        let response = try await browser.signIn(request)
        return try #require(try await browser.follow(response).consentPage)
    }

    @Test("The consent page shows the client, the user and the scopes")
    func page() async throws {
        let page = try await consentPage(try World().browser())
        #expect(page.clientName == "<b>Stranger</b>")
        #expect(page.userName == "alice")
        #expect(page.scopes.map(\.scope) == ["openid", "profile", "offline_access"])
        #expect(page.scopes.map(\.sentence).contains("See your name and profile"))
    }

    @Test("After the user allows, the client gets its code")
    func allow() async throws {
        let browser = try World().browser()
        let response = await browser.submit(try await consentPage(browser).form)
        #expect(response.redirect?.parameters[.code] != nil)
        #expect(response.redirect?.parameters[.state] == "the state")
    }

    @Test("After the user denies, the client gets access_denied, and the denial is not remembered")
    func deny() async throws {
        let browser = try World().browser()
        let response = await browser.submit(try await consentPage(browser).form, [:], .refuse)
        #expect(response.redirectError == "access_denied")
        #expect(await browser.authorize(Self.request).consentPage != nil)
    }

    @Test("A consent is remembered for the same user, client and scopes")
    func remembered() async throws {
        let world = try World()
        let browser = world.browser()
        _ = await browser.submit(try await consentPage(browser).form)
        #expect(await browser.authorize(Self.request).redirect?.parameters[.code] != nil)
        #expect(await browser.authorize(wider).consentPage != nil)
        let other = world.browser()
        let response = try await other.signIn(Self.request, name: "bob", password: "battery staple")
        #expect(try await other.follow(response).consentPage?.userName == "bob")
    }

    private var wider: Parameters {
        .authorization {
            $0[.clientID] = "stranger"
            $0[.scope] = "openid profile email"
        }
    }

    @Test("prompt=consent shows the consent page again")
    func promptConsent() async throws {
        let browser = try World().browser()
        _ = try await browser.signIn()
        #expect(await browser.authorize(.authorization { $0[.prompt] = "consent" }).consentPage != nil)
    }

    @Test("prompt=none without a consent gets consent_required")
    func promptNone() async throws {
        let browser = try World().browser()
        _ = try await browser.signIn()
        let response = await browser.authorize(
            .authorization {
                $0[.clientID] = "stranger"
                $0[.prompt] = "none"
            }
        )
        #expect(response.redirectError == "consent_required")
    }

    @Test("A consent page can be answered once")
    func singleUse() async throws {
        let browser = try World().browser()
        let page = try await consentPage(browser)
        #expect(await browser.submit(page.form).redirect != nil)
        #expect(await browser.submit(page.form).errorSentence != nil)
    }

    @Test("A consent form with a forged CSRF token is rejected")
    func csrf() async throws {
        let browser = try World().browser()
        let response = await browser.submit(try await consentPage(browser).form) {
            $0[Parameters.Name(rawValue: PageInput.csrf)] = "forged"
        }
        #expect(response.status == .forbidden)
    }

    @Test("A consent form without a decision is rejected")
    func noDecision() async throws {
        let browser = try World().browser()
        let response = await browser.submit(try await consentPage(browser).form) {
            $0[Parameters.Name(rawValue: PageInput.decision)] = nil
        }
        #expect(response.errorSentence != nil)
    }

    @Test("A consent page does not open in another browser")
    func otherBrowser() async throws {
        let world = try World()
        let (browser, other) = (world.browser(), world.browser())
        let response = try await browser.signIn(Self.request)
        _ = await other.authorize()
        other.takeSession(of: browser)
        #expect(try await other.follow(response).status == .forbidden)
        #expect(try await browser.follow(response).consentPage != nil)
    }

    @Test("A sign-out page's form is rejected as consent")
    func otherPurpose() async throws {
        let browser = try World().browser()
        _ = try await browser.signIn()
        var form = try #require(await browser.send(.get, "/end-session", .authorization()).signOutPage).form
        form.action = form.action.replacing("/sign-out", with: "/consent")
        #expect(await browser.submit(form).errorSentence != nil)
    }

    @Test("A required new sign-in cannot be skipped by opening the consent page")
    func skippedLogin() async throws {
        let browser = try World().browser()
        _ = try await browser.signIn()
        let page = try #require(
            await browser.authorize(
                .authorization {
                    $0[.clientID] = "stranger"
                    $0[.prompt] = "login"
                }
            ).loginPage
        )
        var form = page.form
        form.action = form.action.replacing("/login", with: "/consent")
        #expect(await browser.submit(form).status == .forbidden)
    }

    @Test("A consent page is rejected after another user signed in")
    func otherPerson() async throws {
        let world = try World()
        let browser = world.browser()
        let page = try await consentPage(browser)
        _ = try await browser.signIn(.authorization { $0[.prompt] = "login" }, name: "bob", password: "battery staple")
        #expect(await browser.submit(page.form).status == .forbidden)
    }
}
