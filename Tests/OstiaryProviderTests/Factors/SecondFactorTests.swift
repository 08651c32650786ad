import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Signing in with a one-time password")
struct SecondFactorTests {
    @Test("After the password the one-time password completes the sign-in, and the ID token names both")
    func signIn() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let page = try await browser.passwordFirst()
        #expect(page.clientName == "The App" && page.userName == "alice" && page.failure == nil)
        #expect(browser.cookie("session") == nil)
        let response = await browser.enter(try world.oneTimePassword(), page)
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        let claims = try await world.verifiedClaims(try #require(tokens.id))
        #expect(claims["amr"] == ["pwd", "otp", "mfa"] && claims["acr"] == "urn:ostiary:mfa")
        #expect(try await world.verifiedClaims(tokens.access)["acr"] == "urn:ostiary:mfa")
        let refreshed = try Tokens(await world.refresh(try #require(tokens.refresh)))
        #expect(try await world.verifiedClaims(try #require(refreshed.id))["amr"] == ["pwd", "otp", "mfa"])
        #expect(await browser.authorize().redirect?.parameters[.code] != nil)
    }

    @Test("A user without an authenticator app needs the password alone")
    func otherUser() async throws {
        let world = try World.withSecondFactor()
        let response = try await world.browser().signIn(name: "bob", password: "battery staple")
        let code = try #require(response.redirect?.parameters[.code])
        let claims = try await world.verifiedClaims(
            try #require(try Tokens(await world.post("/token", .codeGrant(code))).id)
        )
        #expect(claims["amr"] == ["pwd"] && claims["acr"] == "urn:ostiary:password")
    }

    @Test("A configuration without an authenticator app has tokens and metadata as before")
    func without() async throws {
        let world = try World()
        let tokens = try await world.tokens(.authorization { $0[.acrValues] = "urn:ostiary:mfa" })
        #expect(try await world.verifiedClaims(tokens.access)["acr"] == nil)
        #expect(try await world.verifiedClaims(try #require(tokens.id))["acr"] == "urn:ostiary:password")
        let metadata = await world.get("/.well-known/openid-configuration").json
        #expect(metadata?["acr_values_supported"] == ["urn:ostiary:password"])
        let enrolled = await (try World.withSecondFactor()).get("/.well-known/openid-configuration").json
        #expect(enrolled?["acr_values_supported"] == ["urn:ostiary:password", "urn:ostiary:mfa"])
    }

    @Test(
        "The passwords of one time step before and after are accepted, others are not",
        arguments: [-60.0, -30, 30, 60]
    )
    func window(seconds: Double) async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let response = await browser.enter(try world.oneTimePassword(seconds), try await browser.passwordFirst())
        #expect((response.redirect != nil) == (seconds.magnitude == 30))
    }

    @Test("A one-time password with a space or a hyphen in it is accepted", arguments: [" ", "-"])
    func grouped(separator: String) async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let code = try world.oneTimePassword()
        let page = try await browser.passwordFirst()
        #expect(await browser.enter(code.prefix(3) + separator + code.suffix(3), page).redirect != nil)
    }

    @Test("A one-time password is accepted once, also in another browser, and the next one after it")
    func replay() async throws {
        let world = try World.withSecondFactor()
        let (first, second) = (world.browser(), world.browser())
        let code = try world.oneTimePassword()
        let entered = try await first.enter(code, first.passwordFirst())
        #expect(entered.redirect != nil)
        let page = try await second.passwordFirst()
        let refused = await second.enter(code, page)
        #expect(refused.oneTimePasswordPage?.failure == "The code is wrong, too old or used.")
        #expect(second.cookie("session") == nil)
        world.clock.advance(by: .seconds(30))
        #expect(await second.enter(code, page).redirect == nil)
        let next = try await second.enter(world.oneTimePassword(), page)
        #expect(next.redirect != nil)
    }

    @Test("Two users with the same secret use up their own one-time passwords alone")
    func sharedSecret() async throws {
        let password = try Authenticator.password()
        let world = try World.withSecondFactor { $0.users[1].oneTimePassword = password }
        let (first, second) = (world.browser(), world.browser())
        let code = try world.oneTimePassword()
        let entered = try await first.enter(code, first.passwordFirst())
        #expect(entered.redirect != nil)
        let next = try await second.signIn(name: "bob", password: "battery staple")
        let page = try #require(try await second.follow(next).oneTimePasswordPage)
        #expect(await second.enter(code, page).redirect != nil)
    }

    @Test(
        "A wrong one-time password gets the page again",
        arguments: ["", "000000", "12345", "1234567", String(repeating: "1", count: 100), "１２３４５６"]
    )
    func wrong(code: String) async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let response = await browser.enter(code, try await browser.passwordFirst())
        #expect(response.status == .ok && browser.cookie("session") == nil)
        #expect(response.oneTimePasswordPage?.failure == "The code is wrong, too old or used.")
    }

    @Test("Ten wrong one-time passwords lock the user for five minutes, whatever the password")
    func throttle() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let page = try await browser.passwordFirst()
        for _ in 0..<10 { _ = await browser.enter("000000", page) }
        let other = world.browser()
        let right = try await other.passwordFirst()
        let closed = await other.enter(try world.oneTimePassword(), right)
        #expect(closed.status == .tooManyRequests && closed.fields[.retryAfter] == "300")
        #expect(closed.oneTimePasswordPage?.failure == "Too many wrong codes. Try again in 5 minutes.")
        world.clock.advance(by: .seconds(301))
        let entered = try await other.enter(world.oneTimePassword(), right)
        #expect(entered.redirect != nil)
    }

    @Test("Where wrong passwords lock no name, wrong one-time passwords lock none")
    func unlimited() async throws {
        let world = try World.withSecondFactor { $0.wrongPasswords = .unlimited }
        let browser = world.browser()
        let page = try await browser.passwordFirst()
        for _ in 0..<11 { _ = await browser.enter("000000", page) }
        let entered = try await browser.enter(world.oneTimePassword(), page)
        #expect(entered.redirect != nil)
    }

    @Test("A used one-time password counts as a wrong one")
    func replaysCount() async throws {
        let world = try World.withSecondFactor()
        let first = world.browser()
        let code = try world.oneTimePassword()
        _ = await first.enter(code, try await first.passwordFirst())
        let second = world.browser()
        let page = try await second.passwordFirst()
        for _ in 0..<10 { _ = await second.enter(code, page) }
        #expect(await second.enter(code, page).status == .tooManyRequests)
    }

    @Test("A user who cancels the page sends access_denied to the client")
    func cancel() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let response = await browser.submit(try await browser.passwordFirst().form, [:], .refuse)
        #expect(response.redirectError == "access_denied" && browser.cookie("session") == nil)
    }

    @Test("The page of another browser, or with a forged CSRF token, is rejected")
    func otherBrowser() async throws {
        let world = try World.withSecondFactor()
        let (mine, other) = (world.browser(), world.browser())
        let page = try await mine.passwordFirst()
        _ = await other.authorize()
        let entered = try await other.enter(world.oneTimePassword(), page)
        #expect(entered.status == .forbidden)
        let forged = await mine.submit(page.form, ["one_time_password": try world.oneTimePassword()]) {
            $0[Parameters.Name(rawValue: PageInput.csrf)] = "forged"
        }
        #expect(forged.status == .forbidden)
    }

    @Test("The page of the one-time password is no sign-in page, and the sign-in page no page of a one-time password")
    func crossed() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        var page = try await browser.passwordFirst().form
        page.action = page.action.replacing("/one-time-password", with: "/login")
        let credentials: KeyValuePairs<Parameters.Name, String> = ["username": "bob", "password": "battery staple"]
        #expect(await browser.submit(page, credentials).errorSentence == "This page does not ask for a password.")
        var login = try #require(await browser.authorize().loginPage).form
        login.action = login.action.replacing("/login", with: "/one-time-password")
        let skipped = await browser.submit(login, ["one_time_password": try world.oneTimePassword()])
        #expect(skipped.errorSentence == "This page does not ask for a one-time password.")
        #expect(browser.cookie("session") == nil)
    }

    @Test("A user who chooses a name instead of a password enters the one-time password as well")
    func choice() async throws {
        let world = try World.withSecondFactor { $0.signIn = .choice }
        let browser = world.browser()
        let answered = try await browser.enter(world.oneTimePassword(), browser.passwordFirst())
        #expect(answered.redirect != nil)
    }

    @Test("A device's user enters the one-time password before the decision")
    func device() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let device = try await Device(at: world)
        let login = try #require(try await device.enter(in: browser).loginPage).form
        let next = await browser.submit(login, ["username": "alice", "password": "correct horse"])
        let page = try #require(try await browser.follow(next).oneTimePasswordPage)
        #expect(await browser.enter("000000", page).oneTimePasswordPage?.failure != nil)
        let consent = try await browser.follow(await browser.enter(try world.oneTimePassword(), page))
        let consentPage = try #require(consent.deviceConsentPage)
        #expect(await browser.submit(consentPage.form).deviceDoneSentence != nil)
        let claims = try await world.verifiedClaims(try #require(try Tokens(await device.poll()).id))
        #expect(claims["amr"] == ["pwd", "otp", "mfa"] && claims["acr"] == "urn:ostiary:mfa")
    }

    @Test("A device's user who cancels the one-time password denies the device")
    func deniedDevice() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let device = try await Device(at: world)
        let login = try #require(try await device.enter(in: browser).loginPage).form
        let next = await browser.submit(login, ["username": "alice", "password": "correct horse"])
        let page = try #require(try await browser.follow(next).oneTimePasswordPage)
        _ = await browser.submit(page.form, [:], .refuse)
        #expect(await device.poll().error == "access_denied")
    }

    @Test("The page labels its field, names its purpose and announces a failure")
    func page() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let response = await browser.enter("000000", try await browser.passwordFirst())
        let html = String(decoding: world.provider.body(of: response), as: UTF8.self)
        #expect(html.contains("<label for=\"one-time-password\">") && html.contains("autocomplete=\"one-time-code\""))
        #expect(html.contains("role=\"alert\"") && !html.contains("000000") && !html.contains("<script"))
    }

    @Test("The administration enrols a user, shows no secret, and takes the app away again")
    func administration() async throws {
        let world = try World { $0.administrationToken = SecretDigest(of: Secret("token")) }
        func put(_ value: JSONValue) async -> ProviderResponse {
            await world.send(.put, "/admin/users/alice", ["one_time_password": value], bearer: "token")
        }
        let fiveDigits: JSONValue = ["secret": .string(Authenticator.secret), "digits": 5]
        for wrong: JSONValue in [true, [:], ["secret": "AAAA"], fiveDigits] {
            #expect(await put(wrong).status == .badRequest)
        }
        let made = await put(["secret": .string(Authenticator.secret)])
        #expect(made.json?["one_time_password"] == ["algorithm": "SHA1", "digits": 6, "period": 30])
        let unchanged = await world.send(.put, "/admin/users/alice", ["claims": [:]], bearer: "token")
        #expect(unchanged.json?["one_time_password"] != nil)
        let browser = world.browser()
        let answered = try await browser.enter(world.oneTimePassword(), browser.passwordFirst())
        #expect(answered.redirect != nil)
        #expect(await put(.null).json?["one_time_password"] == nil)
        #expect(try await world.browser().signIn().redirect?.parameters[.code] != nil)
    }
}
