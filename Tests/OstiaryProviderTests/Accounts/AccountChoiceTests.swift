import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Several accounts in one browser")
struct AccountChoiceTests {
    private static let selection = Parameters.authorization { $0[.prompt] = "select_account" }

    /// A world whose browsers have several accounts, and a browser in which alice and then bob have signed in.
    private func start(
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> (World, Browser) {
        let world = try World {
            $0.accounts = .several
            change(&$0)
        }
        let browser = world.browser()
        _ = try await browser.signIn()
        _ = try await browser.signIn(.authorization { $0[.prompt] = "login" }, name: "bob", password: "battery staple")
        return (world, browser)
    }

    private func subject(_ response: ProviderResponse, _ world: World) async throws -> JSONValue? {
        try await claims(response, world)["sub"]
    }

    private func claims(_ response: ProviderResponse, _ world: World) async throws -> JSONObject {
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        return try await world.verifiedClaims(try #require(tokens.id))
    }

    private func chooser(_ browser: Browser, _ request: Parameters = selection) async throws -> AccountsPage {
        try #require(await browser.authorize(request).accountsPage)
    }

    private func press(_ input: String, _ name: String, _ page: AccountsPage, _ browser: Browser) async throws
        -> ProviderResponse
    {
        let account = try #require(page.accounts.first { $0.name == name })
        return await browser.submit(page.form) { $0[Parameters.Name(rawValue: input)] = account.id }
    }

    @Test("By default a sign-in ends the login of another user, and prompt=select_account shows the sign-in page")
    func one() async throws {
        let world = try World()
        let browser = world.browser()
        let tokens = try await world.tokens(.authorization { $0[.scope] = "openid" }, in: browser)
        let page = try #require(await browser.authorize(Self.selection).loginPage)
        _ = await browser.submit(page.form, ["username": "bob", "password": "battery staple"])
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
        #expect(browser.cookie("accounts") == nil)
    }

    @Test("The last used account responds, and the others stay signed in")
    func lastUsed() async throws {
        let (world, browser) = try await start()
        #expect(try await subject(await browser.authorize(), world) == "subject-of-bob")
        let page = try await chooser(browser)
        #expect(page.clientName == "The App" && page.accounts.map(\.name) == ["bob", "alice"])
        #expect(page.accounts.allSatisfy { $0.isSignedIn })
    }

    @Test("A chosen account responds without a password, and to the next request as well")
    func choice() async throws {
        let (world, browser) = try await start()
        let response = try await press("account", "alice", try await chooser(browser), browser)
        #expect(try await subject(response, world) == "subject-of-alice")
        #expect(try await subject(await browser.authorize(), world) == "subject-of-alice")
        #expect(try await chooser(browser).accounts.map(\.name) == ["alice", "bob"])
    }

    @Test("A chosen account enters its password where the client requires a new sign-in")
    func choiceAndLogin() async throws {
        let (world, browser) = try await start()
        world.clock.advance(by: .seconds(60))
        for change: (Parameters.Name, String) in [(.prompt, "login select_account"), (.maxAge, "59")] {
            var request = Self.selection
            request[change.0] = change.1
            let response = try await press("account", "alice", try await chooser(browser, request), browser)
            #expect(response.loginPage?.userName == "alice")
        }
    }

    @Test("A chosen account that the client does not expect gets the sign-in page")
    func choiceAgainstHint() async throws {
        let (world, browser) = try await start()
        let hint = try #require(try await world.tokens().id)
        var request = Self.selection
        request[.idTokenHint] = hint
        let response = try await press("account", "bob", try await chooser(browser, request), browser)
        #expect(response.loginPage != nil)
    }

    @Test("A user of another account gets an empty sign-in page, and joins the others")
    func another() async throws {
        let world = try World { $0.accounts = .several }
        let browser = world.browser()
        _ = try await browser.signIn()
        let page = try await chooser(browser)
        let login = try #require(await browser.submit(page.form).loginPage)
        #expect(login.userName == "")
        let response = await browser.submit(login.form, ["username": "bob", "password": "battery staple"])
        #expect(try await subject(response, world) == "subject-of-bob")
        #expect(try await chooser(browser).accounts.map(\.name) == ["bob", "alice"])
    }

    @Test("A forgotten account is signed out and not offered any more, the other one stays")
    func forget() async throws {
        let (world, browser) = try await start()
        let response = try await press("forget", "alice", try await chooser(browser), browser)
        let rest = try #require(response.accountsPage)
        #expect(rest.accounts.map(\.name) == ["bob"])
        #expect(try await world.provider.endLogins(of: "subject-of-alice") == 0)
        let last = try await press("forget", "bob", rest, browser)
        #expect(last.loginPage?.userName == "")
        #expect(await browser.authorize(Self.selection).loginPage != nil)
    }

    @Test("A user who cancels the chooser sends access_denied to the client")
    func cancel() async throws {
        let (_, browser) = try await start()
        let response = await browser.submit(try await chooser(browser).form, [:], .refuse)
        #expect(response.redirectError == "access_denied")
    }

    @Test("An account that is forgotten in another window gets the chooser again")
    func forgottenElsewhere() async throws {
        let (_, browser) = try await start()
        let (first, second) = (try await chooser(browser), try await chooser(browser))
        _ = try await press("forget", "alice", first, browser)
        let response = try await press("account", "alice", second, browser)
        #expect(response.accountsPage?.accounts.map(\.name) == ["bob"])
    }

    @Test("The chooser of another browser, or with a forged CSRF token, is rejected")
    func otherBrowser() async throws {
        let (world, browser) = try await start()
        let page = try await chooser(browser)
        let other = world.browser()
        _ = await other.authorize()
        #expect(try await press("account", "alice", page, other).status == .forbidden)
        let forged = await browser.submit(page.form) {
            $0[Parameters.Name(rawValue: PageInput.csrf)] = "forged"
            $0[Parameters.Name(rawValue: PageInput.forgottenAccount)] = page.accounts[0].id
        }
        #expect(forged.status == .forbidden)
        #expect(try await chooser(browser).accounts.count == 2)
    }

    @Test("The chooser is no sign-in page, and the sign-in page no chooser")
    func crossed() async throws {
        let (_, browser) = try await start()
        var form = try await chooser(browser).form
        form.action = form.action.replacing("/accounts", with: "/login")
        let login = await browser.submit(form, ["username": "alice", "password": "correct horse"])
        #expect(login.errorSentence == "This page does not ask for a password.")
        form = try #require(await browser.authorize(.authorization { $0[.prompt] = "login" }).loginPage).form
        form.action = form.action.replacing("/login", with: "/accounts")
        #expect(await browser.submit(form).errorSentence == "This page does not ask for an account.")
    }

    @Test(
        "login_hint with the name or e-mail address of an account chooses it",
        arguments: ["alice", "alice@example.com"]
    )
    func loginHint(hint: String) async throws {
        let (world, browser) = try await start()
        let request = Parameters.authorization {
            $0[.loginHint] = hint
            $0[.prompt] = "none"
        }
        #expect(try await subject(await browser.authorize(request), world) == "subject-of-alice")
    }

    @Test("login_hint of a user without an account here gets the sign-in page with it, known or unknown")
    func otherLoginHint() async throws {
        let world = try World { $0.accounts = .several }
        let browser = world.browser()
        _ = try await browser.signIn()
        for hint in ["bob", "carol"] {
            var request = Parameters.authorization { $0[.loginHint] = hint }
            #expect(await browser.authorize(request).loginPage?.userName == hint)
            request[.prompt] = "none"
            #expect(await browser.authorize(request).redirectError == "login_required")
        }
    }

    @Test("An ID token hint chooses its account without a page")
    func idTokenHint() async throws {
        let (world, browser) = try await start()
        let hint = try #require(try await world.tokens().id)
        let request = Parameters.authorization {
            $0[.idTokenHint] = hint
            $0[.prompt] = "none"
        }
        #expect(try await subject(await browser.authorize(request), world) == "subject-of-alice")
    }

    @Test("A sign-out with an ID token hint ends that account's login and keeps the others")
    func signOut() async throws {
        let (world, browser) = try await start()
        let own = try await press("account", "alice", try await chooser(browser), browser)
        let code = try #require(own.redirect?.parameters[.code])
        let hint = try #require(try Tokens(await world.post("/token", .codeGrant(code))).id)
        _ = try await press("account", "bob", try await chooser(browser), browser)
        let response = await browser.send(.get, "/end-session", [.idTokenHint: hint])
        #expect(response.isSignedOutPage)
        #expect(try await subject(await browser.authorize(), world) == "subject-of-bob")
        let page = try await chooser(browser)
        #expect(page.accounts.map(\.isSignedIn) == [true, false])
        #expect(try await press("account", "alice", page, browser).loginPage?.userName == "alice")
    }

    /// Signs alice out, and returns the hint of that sign-out; bob is the last used account.
    private func signOutAlice(_ world: World, _ browser: Browser) async throws -> Parameters {
        let own = try await press("account", "alice", try await chooser(browser), browser)
        let code = try #require(own.redirect?.parameters[.code])
        let id = try #require(try Tokens(await world.post("/token", .codeGrant(code))).id)
        let hint = Parameters([.idTokenHint: id])
        #expect(await browser.send(.get, "/end-session", hint).isSignedOutPage)
        _ = try await press("account", "bob", try await chooser(browser), browser)
        return hint
    }

    @Test("A sign-out with the ID token of an ended login leaves the other accounts alone")
    func signOutTwice() async throws {
        let (world, browser) = try await start()
        let hint = try await signOutAlice(world, browser)
        #expect(await browser.send(.get, "/end-session", hint).isSignedOutPage)
        #expect(try await subject(await browser.authorize(), world) == "subject-of-bob")
    }

    @Test("A sign-out with the ID token of an ended login asks its user, who has signed in again")
    func signOutAgain() async throws {
        let (world, browser) = try await start()
        let hint = try await signOutAlice(world, browser)
        _ = try await browser.signIn(.authorization { $0[.prompt] = "login" })
        _ = try await press("account", "bob", try await chooser(browser), browser)
        #expect(await browser.send(.get, "/end-session", hint).signOutPage?.userName == "alice")
    }

    @Test("After the last used account has signed out the chooser appears, and prompt=none needs a selection")
    func signedOutLast() async throws {
        let (world, browser) = try await start()
        _ = try await world.provider.endLogins(of: "subject-of-bob")
        let silent = Parameters.authorization { $0[.prompt] = "none" }
        #expect(await browser.authorize(silent).redirectError == "account_selection_required")
        #expect(await browser.authorize().accountsPage?.accounts.map(\.isSignedIn) == [false, true])
        _ = try await world.provider.endLogins(of: "subject-of-alice")
        #expect(await browser.authorize(silent).redirectError == "login_required")
        #expect(await browser.authorize().accountsPage?.accounts.map(\.isSignedIn) == [false, false])
    }

    @Test("Two windows with two accounts each complete their own consent")
    func windows() async throws {
        let (world, browser) = try await start()
        let request = Parameters.authorization { $0[.clientID] = "stranger" }
        let bob = try #require(await browser.authorize(request).consentPage)
        _ = try await press("account", "alice", try await chooser(browser), browser)
        let alice = try #require(await browser.authorize(request).consentPage)
        #expect(bob.userName == "bob" && alice.userName == "alice")
        for (page, expected) in [(bob, "subject-of-bob"), (alice, "subject-of-alice")] {
            let code = try #require(await browser.submit(page.form).redirect?.parameters[.code])
            let form = Parameters.codeGrant(code) { $0[.clientID] = "stranger" }
            let tokens = try Tokens(await world.post("/token", form))
            #expect(try await world.verifiedClaims(try #require(tokens.id))["sub"]?.string == expected)
        }
    }

    @Test("A user who signs in again keeps the sid, and a planted cookie opens nothing afterwards")
    func again() async throws {
        let (world, browser) = try await start()
        let first = try await claims(
            try await press("account", "alice", try await chooser(browser), browser),
            world
        )
        let planted = browser.cookie("accounts")
        let again = try await browser.signIn(.authorization { $0[.prompt] = "login" })
        #expect(try await claims(again, world)["sid"] == first["sid"])
        #expect(browser.cookie("accounts") != planted)
        browser.setCookie("accounts", planted)
        #expect(await browser.authorize().loginPage != nil)
    }

    @Test("A ninth account forgets the one that was not used for the longest time, and ends its login")
    func maximum() async throws {
        let users = try (0..<9).map { number in
            var user = try Fixtures.users()[0]
            user.name = "user\(number)"
            user.subject = "subject-\(number)"
            return user
        }
        let world = try World {
            $0.accounts = .several
            $0.users = users
        }
        let browser = world.browser()
        for user in users {
            _ = try await browser.signIn(.authorization { $0[.prompt] = "login" }, name: user.name)
        }
        #expect(try await chooser(browser).accounts.map(\.name) == users.dropFirst().reversed().map(\.name))
        #expect(try await world.provider.endLogins(of: "subject-0") == 0)
        #expect(try await world.provider.endLogins(of: "subject-1") == 1)
    }

    @Test("A user whom the administration removes is not offered any more")
    func removedUser() async throws {
        let (world, browser) = try await start { $0.administrationToken = SecretDigest(of: Secret("token")) }
        _ = await world.send(.delete, "/admin/users/bob", bearer: "token")
        #expect(try await chooser(browser).accounts.map(\.name) == ["alice"])
    }

    @Test("A step-up concerns the chosen account alone")
    func stepUp() async throws {
        let password = try Authenticator.password()
        let (world, browser) = try await start {
            $0.users[0].oneTimePassword = password
            $0.secondFactor = .onRequest
        }
        var request = Self.selection
        request[.acrValues] = "urn:ostiary:mfa"
        let response = try await press("account", "alice", try await chooser(browser, request), browser)
        let page = try #require(response.oneTimePasswordPage)
        let done = await browser.enter(try world.oneTimePassword(), page)
        #expect(try await claims(done, world)["acr"] == "urn:ostiary:mfa")
        #expect(try await chooser(browser).accounts.map(\.name) == ["alice", "bob"])
    }

    @Test("A device's code leads to the account chooser, and the tokens are those of the chosen account")
    func device() async throws {
        let (world, browser) = try await start()
        let device = try await Device(at: world)
        let page = try #require(try await device.enter(in: browser).accountsPage)
        #expect(page.clientName == "The Television" && page.accounts.map(\.name) == ["bob", "alice"])
        #expect(page.form.action == Fixtures.issuer + "/device/accounts")
        let consent = try #require(try await press("account", "alice", page, browser).deviceConsentPage)
        #expect(consent.userName == "alice")
        _ = await browser.submit(consent.form)
        let tokens = try Tokens(await device.poll())
        #expect(try await world.verifiedClaims(try #require(tokens.id))["sub"] == "subject-of-alice")
        #expect(try await chooser(browser).accounts.map(\.name) == ["alice", "bob"])
    }

    @Test("A user of another account signs in for the device, and joins the others")
    func deviceOfAnother() async throws {
        let world = try World { $0.accounts = .several }
        let browser = world.browser()
        _ = try await browser.signIn()
        let page = try #require(try await Device(at: world).enter(in: browser).accountsPage)
        let login = try #require(await browser.submit(page.form).loginPage)
        #expect(login.userName == "" && login.form.action == Fixtures.issuer + "/device/login")
        let next = await browser.submit(login.form, ["username": "bob", "password": "battery staple"])
        #expect(try await browser.follow(next).deviceConsentPage?.userName == "bob")
        #expect(try await chooser(browser).accounts.map(\.name) == ["bob", "alice"])
    }

    @Test("A signed-out account that is chosen for a device enters its password")
    func deviceOfSignedOut() async throws {
        let (world, browser) = try await start()
        _ = try await world.provider.endLogins(of: "subject-of-alice")
        let page = try #require(try await Device(at: world).enter(in: browser).accountsPage)
        #expect(page.accounts.map(\.isSignedIn) == [true, false])
        #expect(try await press("account", "alice", page, browser).loginPage?.userName == "alice")
    }

    @Test("A user who cancels the chooser denies the device")
    func deviceCancelled() async throws {
        let (world, browser) = try await start()
        let device = try await Device(at: world)
        let page = try #require(try await device.enter(in: browser).accountsPage)
        #expect(await browser.submit(page.form, [:], .refuse).deviceDoneSentence != nil)
        #expect(await device.poll().error == "access_denied")
    }

    @Test(
        "An account that is forgotten on a device's chooser is not offered any more, and the last one leads to the sign-in"
    )
    func deviceForgotten() async throws {
        let (world, browser) = try await start()
        let page = try #require(try await Device(at: world).enter(in: browser).accountsPage)
        let rest = try #require(try await press("forget", "alice", page, browser).accountsPage)
        #expect(rest.accounts.map(\.name) == ["bob"] && rest.form.action == Fixtures.issuer + "/device/accounts")
        #expect(
            try await press("forget", "bob", rest, browser).loginPage?.form.action.hasSuffix("/device/login") == true
        )
    }

    @Test("The chooser of a device takes no form of a sign-in, of a client's chooser or of another browser")
    func deviceCrossed() async throws {
        let (world, browser) = try await start()
        let device = try await Device(at: world)
        let page = try #require(try await device.enter(in: browser).accountsPage)
        #expect(try await press("account", "alice", page, world.browser()).status == .forbidden)
        var form = try await chooser(browser).form
        form.action = page.form.action
        #expect(await browser.submit(form).errorSentence != nil)
        form = try #require(await browser.submit(page.form).loginPage).form
        form.action = page.form.action
        #expect(await browser.submit(form).errorSentence == "This page does not ask for an account.")
        #expect(await device.poll().error == "authorization_pending")
    }

    @Test("The page labels every button and escapes the names")
    func page() async throws {
        let (world, browser) = try await start { $0.users[0].claims = [:] }
        let html = String(
            decoding: world.provider.body(of: await browser.authorize(Self.selection)),
            as: UTF8.self
        )
        #expect(html.contains("aria-label=\"Forget alice\"") && html.contains(">alice</button>"))
        #expect(html.contains(">Use another account</button>") && !html.contains("<script"))
    }
}

extension ProviderResponse {
    fileprivate var accountsPage: AccountsPage? {
        if case .accounts(let page) = page { page } else { nil }
    }
}
