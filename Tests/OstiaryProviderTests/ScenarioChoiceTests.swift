import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("The choice of a scenario")
struct ScenarioChoiceTests {
    private let scenario = Scenario.invalidNonce.name
    private let field = HTTPField.Name("Ostiary-Scenario") ?? .origin

    private func world(_ choice: ProviderConfiguration.ScenarioChoice = .byRequest) throws -> World {
        try World { $0.scenarioChoice = choice }
    }

    private func nonce(_ client: String, _ world: World) async throws -> JSONValue? {
        let request = Parameters.authorization { $0[.clientID] = client }
        let code = try await world.code(request)
        let tokens = try Tokens(await world.post("/token", .codeGrant(code) { $0[.clientID] = client }))
        let claims = try await world.verifiedClaims(try #require(tokens.id))
        #expect(claims["aud"] == .string(client))
        return claims["nonce"]
    }

    @Test("A client identifier with a scenario plays it, and not for another client's flow")
    func byClient() async throws {
        let world = try world()
        #expect(try await nonce("app~\(scenario)", world) != "the-nonce")
        #expect(try await nonce("app", world) == "the-nonce")
    }

    @Test("A user info response plays the scenario of the token's client")
    func userInfo() async throws {
        let world = try world()
        let client = "app~\(Scenario.userInfoInvalidSubject.name)"
        let code = try await world.code(.authorization { $0[.clientID] = client })
        let tokens = try Tokens(await world.post("/token", .codeGrant(code) { $0[.clientID] = client }))
        #expect(await world.userInfo(tokens.access).json?["sub"] != "subject-of-alice")
    }

    @Test("The redirect after the sign-in page plays the client's scenario")
    func redirect() async throws {
        let client = "app~\(Scenario.missingState.name)"
        let response = try await world().browser().signIn(.authorization { $0[.clientID] = client })
        #expect(response.redirect?.parameters[.code] != nil && response.redirect?.parameters[.state] == nil)
    }

    @Test("A header field selects the scenario of one request")
    func byField() async throws {
        let world = try world()
        let path = "/.well-known/openid-configuration"
        let played = await world.get(path, fields: [field: Scenario.issuerMismatch.name]).json
        #expect(played?["issuer"]?.string != Fixtures.issuer)
        #expect(await world.get(path).json?["issuer"]?.string == Fixtures.issuer)
        #expect(await world.get(path, fields: [field: "unheard of"]).json?["issuer"]?.string == Fixtures.issuer)
    }

    @Test("Without the setting neither an identifier nor a field selects a scenario")
    func off() async throws {
        let world = try world(.none)
        let response = await world.browser().authorize(.authorization { $0[.clientID] = "app~\(scenario)" })
        #expect(response.errorSentence == "There is no client with this client_id.")
        let path = "/.well-known/openid-configuration"
        let metadata = await world.get(path, fields: [field: Scenario.issuerMismatch.name]).json
        #expect(metadata?["issuer"]?.string == Fixtures.issuer)
    }

    @Test(
        "A client identifier with an unknown scenario or client is rejected",
        arguments: ["app~unheard", "ap~expired"]
    )
    func unknown(id: String) async throws {
        let response = await (try world()).browser().authorize(.authorization { $0[.clientID] = id })
        #expect(response.errorSentence != nil)
    }
}

@Suite("Sign-in without a password")
struct PasswordlessTests {
    private func world(_ method: ProviderConfiguration.SignInMethod) throws -> World {
        try World { $0.signIn = method }
    }

    @Test("The sign-in page has a button for each user, which signs in without a password")
    func choice() async throws {
        let world = try world(.choice)
        let browser = world.browser()
        let page = try #require(await browser.authorize().loginPage)
        #expect(page.choices == ["alice", "bob"])
        let response = await browser.submit(page.form, ["username": "bob"]) { $0["decision"] = nil }
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        #expect(try await world.verifiedClaims(try #require(tokens.id))["sub"] == "subject-of-bob")
        let html = PlainPageRenderer().html(for: .login(page))
        #expect(html.contains(#"<button name="username" value="bob">bob</button>"#))
    }

    @Test("An unknown user name does not sign in, and the page can be cancelled")
    func unknownName() async throws {
        let browser = try world(.choice).browser()
        let page = try #require(await browser.authorize().loginPage)
        let again = await browser.submit(page.form, ["username": "mallory"])
        #expect(again.loginPage?.failure == "There is no user with this name.")
        let denied = await browser.submit(page.form, ["username": "bob"], .refuse)
        #expect(denied.redirectError == "access_denied")
    }

    @Test("By default the sign-in page has no buttons, and a wrong password does not sign in")
    func off() async throws {
        let browser = try World().browser()
        let page = try #require(await browser.authorize().loginPage)
        #expect(page.choices.isEmpty)
        #expect(await browser.submit(page.form, ["username": "alice", "password": "x"]).loginPage?.failure != nil)
    }

    @Test("A user signs in without a page, and login_hint selects another user")
    func automatic() async throws {
        let world = try world(.automatic(userName: "alice"))
        for (hint, subject) in [(nil, "subject-of-alice"), ("bob", "subject-of-bob"), ("x", "subject-of-alice")] {
            let request = Parameters.authorization {
                $0[.clientID] = "stranger"
                $0[.loginHint] = hint
                $0[.prompt] = "none"
            }
            let response = await world.browser().authorize(request)
            let code = try #require(response.redirect?.parameters[.code])
            #expect(response.cookies.contains { $0.contains("session") })
            let form = Parameters.codeGrant(code) { $0[.clientID] = "stranger" }
            let tokens = try Tokens(await world.post("/token", form))
            #expect(try await world.verifiedClaims(try #require(tokens.id))["sub"] == .string(subject))
        }
    }

    @Test("Ten wrong passwords lock a name, unless the configuration allows them")
    func throttle() async throws {
        for (setting, isClosed) in [(ProviderConfiguration.WrongPasswords.throttled, true), (.unlimited, false)] {
            let world = try World { $0.wrongPasswords = setting }
            for _ in 0..<10 { _ = try await world.browser().signIn(password: "wrong") }
            #expect((try await world.browser().signIn().redirect == nil) == isClosed)
        }
    }
}

@Suite("The page at the issuer's URL")
struct FrontPageTests {
    @Test("The front page lists issuer, rules, clients, redirect URIs and users, and no secret", arguments: ["", "/"])
    func page(path: String) async throws {
        let world = try World {
            $0.frontPage = .present
            $0.rules = .oidc
        }
        let response = await world.get(path)
        guard case .front(let page) = response.page else { throw Missing() }
        #expect(page.issuer == Fixtures.issuer && page.rules == "oidc" && page.users == ["alice", "bob"])
        #expect(page.clients.first?.redirectURIs.first == Fixtures.redirectURI)
        let html = PlainPageRenderer().html(for: .front(page))
        for text in ["web app", "client_secret_basic", Fixtures.redirectURI, Fixtures.issuer] {
            #expect(html.contains(text))
        }
        #expect(!html.contains("p%ss") && !html.contains("correct horse"))
    }

    @Test("By default the provider has no front page")
    func absent() async throws {
        #expect(await (try World()).get("/").status == .notFound)
    }

    @Test("An error page lists what is registered")
    func errorPage() async throws {
        let world = try World()
        let response = await world.browser().authorize(.authorization { $0[.redirectURI] = "http://127.0.0.1/other" })
        guard case .error(let page) = response.page else { throw Missing() }
        #expect(page.reason == "The redirect_uri is not registered: http://127.0.0.1/other")
        #expect(page.mend?.contains("Registered: http://127.0.0.1/callback") == true)
        let html = PlainPageRenderer().html(for: .error(page))
        #expect(html.contains("Registered: http://127.0.0.1/callback"))
    }

    @Test("Settings with less effect than they seem to have are reported as warnings")
    func warnings() throws {
        #expect(try Fixtures.configuration().warnings.isEmpty)
        let configuration = try Fixtures.configuration {
            $0.clients[0].allowedScopes.append("groups")
            $0.resources = [ProviderResource(identifier: "https://api", name: "A", scopes: ["read"])]
            $0.additionalScopes.append(ProviderScope("idle", sentence: "Idle"))
        }
        #expect(
            configuration.warnings == [
                "The client app has unknown scopes: groups. Add them to scopes, or take them from the client.",
                "The resource https://api has unknown scopes: read. Add them to scopes.",
                "No client has the scopes idle: requests for them are served without them.",
            ]
        )
    }
}
