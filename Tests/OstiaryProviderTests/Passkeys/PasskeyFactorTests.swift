import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Passkeys, passwords and one-time passwords")
struct PasskeyFactorTests {
    /// A world in which alice has an authenticator app, and users may have passkeys.
    private func world(
        _ occasion: ProviderConfiguration.SecondFactor = .always,
        storage: any ProviderStorage = MemoryProviderStorage(),
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        let password = try Authenticator.password()
        return try PasskeyWorld.world(storage: storage) {
            $0.secondFactor = occasion
            $0.users[0].oneTimePassword = password
            change(&$0)
        }
    }

    /// An authenticator with a passkey of alice, who has added it before she had an authenticator app.
    private func authenticator(in storage: any ProviderStorage) async throws -> SoftAuthenticator {
        try await PasskeyWorld.registered(try PasskeyWorld.world(storage: storage))
    }

    private func signIn(
        _ authenticator: SoftAuthenticator,
        _ browser: Browser,
        _ page: LoginPage
    ) async throws -> ProviderResponse {
        let assertion = try authenticator.assertion(try PasskeyWorld.challenge(page.passkey))
        return await browser.submit(page.form, ["passkey": assertion])
    }

    private func tokens(
        _ response: ProviderResponse,
        _ world: World
    ) async throws -> (id: JSONObject, access: JSONObject) {
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        let id = try await world.verifiedClaims(try #require(tokens.id))
        return (id, try await world.verifiedClaims(tokens.access))
    }

    private func request(_ contexts: String, prompt: String? = nil) -> Parameters {
        .authorization {
            $0[.acrValues] = contexts
            $0[.prompt] = prompt
        }
    }

    /// Enters the password on the page for passkeys; the page for the one-time password.
    private func passwordFirst(_ browser: Browser) async throws -> OneTimePasswordPage {
        let login = try #require(await browser.send(.get, "/account").loginPage)
        let answer = await browser.submit(login.form, ["username": "alice", "password": "correct horse"])
        return try #require(try await browser.follow(answer).oneTimePasswordPage)
    }

    @Test("A passkey needs no one-time password besides, and the password does")
    func signIn() async throws {
        let storage = MemoryProviderStorage()
        let authenticator = try await authenticator(in: storage)
        let world = try world(storage: storage)
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        let (id, access) = try await tokens(try await signIn(authenticator, browser, page), world)
        #expect(id["acr"] == "urn:ostiary:passkey" && id["amr"] == ["hwk", "pop", "user", "mfa"])
        #expect(access["acr"] == "urn:ostiary:passkey")
        #expect(await browser.authorize().redirect?.parameters[.code] != nil)
        #expect(try await world.browser().passwordFirst().userName == "alice")
    }

    @Test("A device's user needs no one-time password besides a passkey")
    func device() async throws {
        let storage = MemoryProviderStorage()
        let authenticator = try await authenticator(in: storage)
        let world = try world(storage: storage)
        let browser = world.browser()
        let device = try await Device(at: world)
        let page = try #require(try await device.enter(in: browser).loginPage)
        let consent = try await browser.follow(try await signIn(authenticator, browser, page)).deviceConsentPage
        #expect(await browser.submit(try #require(consent).form).deviceDoneSentence != nil)
        let claims = try await world.verifiedClaims(try #require(try Tokens(await device.poll()).id))
        #expect(claims["acr"] == "urn:ostiary:passkey")
    }

    @Test("The metadata has each context, the weakest first")
    func metadata() async throws {
        let metadata = try #require(await (try world()).get("/.well-known/openid-configuration").json)
        let contexts: JSONValue = ["urn:ostiary:password", "urn:ostiary:mfa", "urn:ostiary:passkey"]
        #expect(metadata["acr_values_supported"] == contexts)
    }

    @Test("A passkey meets a request for the context of two factors, and for that of the password")
    func weakerContexts() async throws {
        let storage = MemoryProviderStorage()
        let authenticator = try await authenticator(in: storage)
        let world = try world(.onRequest, storage: storage)
        let browser = world.browser()
        let page = try #require(await browser.authorize(request("urn:ostiary:mfa")).loginPage)
        #expect(try await tokens(try await signIn(authenticator, browser, page), world).id["acr"] == "urn:ostiary:mfa")
        for context: String in ["urn:ostiary:mfa", "urn:ostiary:password", "urn:ostiary:passkey"] {
            let response = await browser.authorize(request(context))
            #expect(try await tokens(response, world).id["acr"] == .string(context))
        }
    }

    @Test("A request for a passkey asks a user who has signed in with a password for another sign-in")
    func stepUp() async throws {
        let storage = MemoryProviderStorage()
        let authenticator = try await authenticator(in: storage)
        let world = try PasskeyWorld.world(storage: storage)
        let browser = world.browser()
        _ = try await browser.signIn()
        let passkey = request("urn:ostiary:passkey")
        let silent = await browser.authorize(request("urn:ostiary:passkey", prompt: "none"))
        #expect(silent.redirectError == "login_required")
        let page = try #require(await browser.authorize(passkey).loginPage)
        let claims = try await tokens(try await signIn(authenticator, browser, page), world).id
        #expect(claims["acr"] == "urn:ostiary:passkey")
        #expect(await browser.authorize(passkey).redirect?.parameters[.code] != nil)
        let other = try await world.browser().signIn(passkey)
        #expect(other.redirectError == "unmet_authentication_requirements")
        let either = request("urn:ostiary:passkey urn:ostiary:password")
        #expect(try await tokens(try await world.browser().signIn(either), world).id["acr"] == "urn:ostiary:password")
    }

    @Test("With a password, a request for a passkey or two factors asks for the one-time password")
    func secondPreference() async throws {
        let world = try world(.onRequest)
        let browser = world.browser()
        let page = try await browser.passwordFirst(request("urn:ostiary:passkey urn:ostiary:mfa"))
        let response = await browser.enter(try world.oneTimePassword(), page)
        #expect(try await tokens(response, world).id["acr"] == "urn:ostiary:mfa")
    }

    @Test(
        "A login with a one-time password does not meet the passkey's context once the last authenticator app is gone"
    )
    func removedApp() async throws {
        let world = try world { $0.administrationToken = SecretDigest(of: Secret("a-token-of-the-tests")) }
        let browser = world.browser()
        _ = await browser.enter(try world.oneTimePassword(), try await browser.passwordFirst())
        let removal: JSONObject = ["one_time_password": .null]
        #expect(await world.send(.put, "/admin/users/alice", removal, bearer: "a-token-of-the-tests").status == .ok)
        #expect(try await tokens(await browser.authorize(), world).id["acr"] == "urn:ostiary:mfa")
        let silent = await browser.authorize(request("urn:ostiary:passkey", prompt: "none"))
        #expect(silent.redirectError == "login_required")
    }

    @Test("A request for a passkey means nothing to a provider without them")
    func without() async throws {
        let world = try World()
        let browser = world.browser()
        _ = try await browser.signIn()
        let claims = try await tokens(await browser.authorize(request("urn:ostiary:passkey")), world).id
        #expect(claims["acr"] == "urn:ostiary:password")
    }

    @Test(
        "A user with an authenticator app enters the one-time password before a change of passkeys",
        arguments: ProviderConfiguration.SecondFactor.allCases
    )
    func account(occasion: ProviderConfiguration.SecondFactor) async throws {
        let world = try world(occasion)
        let browser = world.browser()
        let page = try await passwordFirst(browser)
        #expect(page.clientName == "Test Provider" && page.userName == "alice" && browser.cookie("session") == nil)
        let wrong = try #require(await browser.enter("000000", page).oneTimePasswordPage)
        #expect(wrong.failure == "The code is wrong, too old or used.")
        let answer = await browser.enter(try world.oneTimePassword(), wrong)
        #expect(answer.redirect?.place == "http://localhost:8080/account")
        let account = try #require(await browser.send(.get, "/account").accountPage)
        var authenticator = try SoftAuthenticator()
        try await PasskeyWorld.add(&authenticator, browser, account)
        #expect(await browser.send(.get, "/account").accountPage?.passkeys.count == 1)
    }

    @Test("A user who cancels the one-time password goes back to the sign-in of the page for passkeys")
    func cancel() async throws {
        let world = try world()
        let browser = world.browser()
        let answer = await browser.submit(try await passwordFirst(browser).form, [:], .refuse)
        #expect(answer.redirect?.place == "http://localhost:8080/account")
        #expect(await browser.send(.get, "/account").loginPage != nil && browser.cookie("session") == nil)
    }

    @Test("A login with the password alone enters the one-time password first, and keeps its time")
    func accountStepUp() async throws {
        let world = try world(.onRequest)
        let browser = world.browser()
        _ = try await browser.signIn()
        world.clock.advance(by: .seconds(300))
        let page = try #require(await browser.send(.get, "/account").oneTimePasswordPage)
        _ = await browser.enter(try world.oneTimePassword(), page)
        #expect(await browser.send(.get, "/account").accountPage != nil)
        world.clock.advance(by: .seconds(301))
        #expect(await browser.send(.get, "/account").loginPage?.userName == "alice")
    }

    @Test("A form from before the enrolment changes nothing")
    func laterEnrolment() async throws {
        let storage = MemoryProviderStorage()
        let browser = try PasskeyWorld.world(storage: storage).browser()
        let page = try await PasskeyWorld.account(browser)
        let later = try world(storage: storage).browser()
        later.copyCookies(of: browser)
        var authenticator = try SoftAuthenticator()
        let answer = try await PasskeyWorld.add(&authenticator, later, page)
        #expect(answer.redirect?.place == "http://localhost:8080/account")
        #expect(await browser.send(.get, "/account").accountPage?.passkeys.isEmpty == true)
    }

    @Test("Passkeys sign two users in in one browser, where it may have several accounts")
    func severalAccounts() async throws {
        let storage = MemoryProviderStorage()
        let authenticator = try await authenticator(in: storage)
        let world = try PasskeyWorld.world(storage: storage) { $0.accounts = .several }
        let browser = world.browser()
        _ = try await browser.signIn(name: "bob", password: "battery staple")
        let hinted = Parameters.authorization { $0[.loginHint] = "alice" }
        let page = try #require(await browser.authorize(hinted).loginPage)
        let alice = try await signIn(authenticator, browser, page)
        #expect(try await tokens(alice, world).id["sub"] == "subject-of-alice")
        #expect(await browser.send(.get, "/account").accountPage?.userName == "alice")
        let bob = await browser.authorize(.authorization { $0[.loginHint] = "bob" })
        #expect(try await tokens(bob, world).id["sub"] == "subject-of-bob")
    }

    @Test("The page for passkeys and its failures are in the user's language")
    func language() async throws {
        let world = try PasskeyWorld.world { $0.languages = [.german] }
        let browser = world.browser()
        let page = try await PasskeyWorld.account(browser)
        let response = try SoftAuthenticator().registration("b3RoZXI")
        let answer = await browser.submit(page.form, ["passkey": response])
        #expect(answer.accountPage?.failure == "Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.")
        let html = String(decoding: world.provider.body(of: answer), as: UTF8.self)
        #expect(html.contains("<html lang=\"de\">") && html.contains("<button>Passkey hinzufügen</button>"))
        #expect(html.contains("data-known=\"Dieses Gerät hat schon einen Passkey.\""))
        #expect(html.contains("Sie haben noch keinen Passkey."))
        let login = await world.browser().authorize()
        let sheet = String(decoding: world.provider.body(of: login), as: UTF8.self)
        #expect(sheet.contains("<button>Mit einem Passkey anmelden</button>"))
    }

    @Test("A snapshot has the passkeys, and one with a passkey that cannot be read is refused")
    func snapshot() async throws {
        func world() throws -> World {
            try PasskeyWorld.world { $0.administrationToken = SecretDigest(of: Secret("a-token-of-the-tests")) }
        }
        let first = try world()
        let authenticator = try await PasskeyWorld.registered(first)
        var snapshot = try #require(await first.send(.get, "/admin/snapshot", bearer: "a-token-of-the-tests").json)
        let second = try world()
        let restored = await second.send(.put, "/admin/snapshot", snapshot, bearer: "a-token-of-the-tests")
        #expect(restored.status == .noContent)
        let browser = second.browser()
        let page = try #require(await browser.authorize().loginPage)
        #expect(try await signIn(authenticator, browser, page).redirect?.parameters[.code] != nil)
        snapshot["records"] = .array(
            (snapshot["records"]?.array ?? []).map { record in
                guard var object = record.object, object["kind"] == "passkey" else { return record }
                object["value"] = ["sub": "subject-of-alice"]
                return .object(object)
            }
        )
        let refused = await second.send(.put, "/admin/snapshot", snapshot, bearer: "a-token-of-the-tests")
        #expect(refused.status == .badRequest)
    }
}
