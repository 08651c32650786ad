import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("The page for passkeys")
struct PasskeyAccountTests {
    @Test("The options for a new passkey name user, algorithms and known passkeys, and ask for no attestation")
    func options() async throws {
        let world = try PasskeyWorld.world()
        let browser = world.browser()
        var authenticator = try SoftAuthenticator()
        let first = try await PasskeyWorld.account(browser)
        #expect(first.passkeys.isEmpty)
        try await PasskeyWorld.add(&authenticator, browser, first)
        let page = try #require(await browser.send(.get, "/account").accountPage)
        let options = try PasskeyWorld.options(page.prompt)
        #expect(options["rp"] == ["id": "localhost", "name": "Test Provider"])
        let user = try #require(options["user"]?.object)
        #expect(user["name"] == "alice" && user["displayName"] == "Alice Adams")
        let handle = try #require(user["id"]?.string)
        #expect(try Base64URL.decode(handle).count == 32)
        #expect(!handle.contains("alice"))
        let algorithms = options["pubKeyCredParams"]?.array?.compactMap { $0.object?["alg"]?.integer }
        #expect(algorithms == [-7, -8, -257])
        let known: JSONObject = ["type": "public-key", "id": .string(Base64URL.encode(authenticator.id))]
        #expect(options["excludeCredentials"] == [.object(known)])
        #expect(options["attestation"] == "none")
        let selection = options["authenticatorSelection"]?.object
        #expect(selection?["residentKey"] == "required" && selection?["userVerification"] == "required")
    }

    @Test("The user handle is the same on each page and another for another user")
    func userHandle() async throws {
        let world = try PasskeyWorld.world()
        func handle(_ page: AccountPage) throws -> String? {
            try PasskeyWorld.options(page.prompt)["user"]?.object?["id"]?.string
        }
        let first = try handle(try await PasskeyWorld.account(world.browser()))
        #expect(try handle(try await PasskeyWorld.account(world.browser())) == first)
        let bob = try await PasskeyWorld.account(world.browser(), name: "bob", password: "battery staple")
        #expect(try handle(bob) != first)
    }

    @Test("A new passkey is listed with its date and its backup")
    func list() async throws {
        let world = try PasskeyWorld.world()
        let browser = world.browser()
        var authenticator = try SoftAuthenticator()
        authenticator.flags = 0x1D
        let answer = try await PasskeyWorld.add(&authenticator, browser, try await PasskeyWorld.account(browser))
        #expect(answer.redirect?.place == "http://localhost:8080/account")
        let page = try #require(await browser.send(.get, "/account").accountPage)
        #expect(page.passkeys.map(\.name) == ["1 (2027-01-15)"])
        #expect(page.passkeys.map(\.isBackedUp) == [true])
        #expect(page.failure == nil && page.userName == "alice")
    }

    @Test("A removed passkey signs its user in no more")
    func removal() async throws {
        let world = try PasskeyWorld.world()
        let authenticator = try await PasskeyWorld.registered(world)
        let browser = world.browser()
        let page = try await PasskeyWorld.account(browser)
        let key = try #require(page.passkeys.first?.key)
        let answer = await browser.submit(page.form, ["remove": key])
        #expect(answer.redirect?.place == "http://localhost:8080/account")
        #expect(await browser.send(.get, "/account").accountPage?.passkeys.isEmpty == true)
        let other = world.browser()
        let login = try #require(await other.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(login.passkey))
        #expect(await other.submit(login.form, ["passkey": assertion]).loginPage?.failure != nil)
    }

    @Test("A user cannot remove the passkey of another")
    func removalOfOther() async throws {
        let world = try PasskeyWorld.world()
        _ = try await PasskeyWorld.registered(world)
        let key = try #require(try await PasskeyWorld.account(world.browser()).passkeys.first?.key)
        let bob = world.browser()
        let page = try await PasskeyWorld.account(bob, name: "bob", password: "battery staple")
        #expect(page.passkeys.isEmpty)
        _ = await bob.submit(page.form, ["remove": key])
        #expect(try await PasskeyWorld.account(world.browser()).passkeys.count == 1)
    }

    @Test("A passkey that is registered, for whichever user, is refused (step 26)")
    func taken() async throws {
        let world = try PasskeyWorld.world()
        var authenticator = try await PasskeyWorld.registered(world)
        for (name, password) in [("alice", "correct horse"), ("bob", "battery staple")] {
            let browser = world.browser()
            let page = try await PasskeyWorld.account(browser, name: name, password: password)
            let answer = try await PasskeyWorld.add(&authenticator, browser, page)
            #expect(answer.accountPage?.failure == "You have added this passkey before.")
            #expect(world.log.refusal?.reason == "The passkey is registered already.")
        }
        let bob = try await PasskeyWorld.account(world.browser(), name: "bob", password: "battery staple")
        #expect(bob.passkeys.isEmpty)
    }

    @Test("A user has 50 passkeys at most")
    func tooMany() async throws {
        let world = try PasskeyWorld.world()
        let browser = world.browser()
        var page = try await PasskeyWorld.account(browser)
        var authenticator = try SoftAuthenticator()
        for number in 0..<50 {
            authenticator.id = [1, UInt8(number)]
            try await PasskeyWorld.add(&authenticator, browser, page)
            page = try #require(await browser.send(.get, "/account").accountPage)
        }
        authenticator.id = [2]
        let answer = try await PasskeyWorld.add(&authenticator, browser, page)
        #expect(answer.accountPage?.failure == "You have 50 passkeys. Remove one first.")
        #expect(answer.accountPage?.passkeys.count == 50)
    }

    @Test("A registration is refused that is not for this page, and the page comes back with the reason")
    func otherChallenge() async throws {
        let world = try PasskeyWorld.world()
        let browser = world.browser()
        let page = try await PasskeyWorld.account(browser)
        let response = try SoftAuthenticator().registration("b3RoZXI")
        let answer = await browser.submit(page.form, ["passkey": response])
        #expect(answer.accountPage?.failure == "The passkey was not accepted. Try again.")
        #expect(answer.accountPage?.passkeys.isEmpty == true)
        #expect(answer.fields[.contentSecurityPolicy]?.contains("script-src 'sha256-") == true)
    }

    @Test("A form of the page is answered once, and needs its CSRF token")
    func form() async throws {
        let world = try PasskeyWorld.world()
        let browser = world.browser()
        let page = try await PasskeyWorld.account(browser)
        var authenticator = try SoftAuthenticator()
        let forged = await browser.submit(page.form, ["remove": "key"]) {
            $0[Parameters.Name(rawValue: PageInput.csrf)] = "forged"
        }
        #expect(forged.status == .forbidden)
        #expect(await browser.submit(page.form).errorSentence == "The form has no decision.")
        try await PasskeyWorld.add(&authenticator, browser, page)
        authenticator.id = [3]
        #expect(try await PasskeyWorld.add(&authenticator, browser, page).errorSentence != nil)
        #expect(await browser.send(.get, "/account").accountPage?.passkeys.count == 1)
    }

    @Test("Ten minutes after the sign-in the page asks for it again, and its old form changes nothing")
    func age() async throws {
        let world = try PasskeyWorld.world()
        let browser = world.browser()
        let page = try await PasskeyWorld.account(browser)
        world.clock.advance(by: .seconds(600))
        #expect(await browser.send(.get, "/account").accountPage != nil)
        world.clock.advance(by: .seconds(1))
        var authenticator = try SoftAuthenticator()
        let answer = try await PasskeyWorld.add(&authenticator, browser, page)
        #expect(answer.redirect?.place == "http://localhost:8080/account")
        let login = try #require(await browser.send(.get, "/account").loginPage)
        #expect(login.userName == "alice" && login.clientName == "Test Provider")
        #expect(try await PasskeyWorld.account(world.browser()).passkeys.isEmpty)
    }

    @Test("A passkey signs its user in on the page, and Cancel goes back to the sign-in")
    func signIn() async throws {
        let world = try PasskeyWorld.world()
        let authenticator = try await PasskeyWorld.registered(world)
        let browser = world.browser()
        let first = try #require(await browser.send(.get, "/account").loginPage)
        #expect(await browser.submit(first.form, [:], .refuse).redirect?.place == "http://localhost:8080/account")
        let page = try #require(await browser.send(.get, "/account").loginPage)
        let wrong = await browser.submit(page.form, ["username": "alice", "password": "wrong"])
        #expect(wrong.loginPage?.failure == "The name or the password is wrong.")
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        #expect(await browser.submit(page.form, ["passkey": assertion]).status == .seeOther)
        #expect(await browser.send(.get, "/account").accountPage?.userName == "alice")
    }

    @Test("The page in plain HTML lists passkeys, and says what a browser without them sees")
    func html() async throws {
        let world = try PasskeyWorld.world()
        _ = try await PasskeyWorld.registered(world)
        let browser = world.browser()
        _ = try await PasskeyWorld.account(browser)
        let html = String(decoding: world.provider.body(of: await browser.send(.get, "/account")), as: UTF8.self)
        #expect(html.contains("<h1>Passkeys</h1>"))
        #expect(html.contains("aria-label=\"Remove passkey 1 (2027-01-15)\">Remove</button>"))
        #expect(html.contains("id=\"passkey-unsupported\">This browser cannot add a passkey:"))
        #expect(html.contains("data-ceremony=\"create\""))
        #expect(html.contains("<script>\(PasskeyScript.source)</script>"))
    }

    @Test("Passkeys outlive the process where the records do")
    func restart() async throws {
        let storage = MemoryProviderStorage()
        let clock = MovableClock()
        let authenticator = try await PasskeyWorld.registered(try PasskeyWorld.world(storage: storage, clock: clock))
        let world = try PasskeyWorld.world(storage: storage, clock: clock)
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        #expect(await browser.submit(page.form, ["passkey": assertion]).redirect?.parameters[.code] != nil)
    }
}
