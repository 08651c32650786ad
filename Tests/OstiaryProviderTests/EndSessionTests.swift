import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Signing out")
struct EndSessionTests {
    private static let bye = "https://app.example.com/bye"

    private func request(_ idToken: String?, _ change: (inout Parameters) -> Void = { _ in }) -> Parameters {
        var parameters = Parameters([.clientID: "app", .postLogoutRedirectURI: Self.bye, .state: "the state"])
        parameters[.idTokenHint] = idToken
        change(&parameters)
        return parameters
    }

    private func signedIn(_ world: World, _ request: Parameters = .authorization()) async throws -> (Browser, Tokens) {
        let browser = world.browser()
        return (browser, try await world.tokens(request, in: browser))
    }

    @Test(
        "An ID token hint of this sign-in signs the user out and redirects back",
        arguments: [HTTPRequest.Method.get, .post]
    )
    func hinted(method: HTTPRequest.Method) async throws {
        let world = try World()
        let (browser, tokens) = try await signedIn(world)
        let response = await browser.send(method, "/end-session", request(tokens.id))
        #expect(response.redirect?.place == Self.bye)
        #expect(response.redirect?.parameters[.state] == "the state")
        #expect(browser.cookie("session") == nil)
        #expect(await browser.authorize().loginPage != nil)
    }

    @Test("A sign-out ends the session at the provider, not only its cookie")
    func serverSide() async throws {
        let world = try World()
        let (browser, tokens) = try await signedIn(world)
        let thief = world.browser()
        thief.copyCookies(of: browser)
        _ = await browser.send(.get, "/end-session", request(tokens.id))
        #expect(await thief.authorize().loginPage != nil)
    }

    @Test("An expired ID token is accepted as a sign-out hint")
    func expiredHint() async throws {
        let world = try World()
        let (browser, tokens) = try await signedIn(world)
        world.clock.advance(by: .seconds(3600))
        #expect(await browser.send(.get, "/end-session", request(tokens.id)).redirect?.place == Self.bye)
    }

    @Test("Without an ID token hint the user is asked, and signed out after confirming")
    func confirmed() async throws {
        let world = try World()
        let (browser, _) = try await signedIn(world)
        let page = try #require(await browser.send(.get, "/end-session", request(nil)).signOutPage)
        #expect(page.userName == "alice")
        #expect(page.clientName == "The App")
        #expect(await browser.authorize().redirect != nil)
        let response = await browser.submit(page.form)
        #expect(response.redirect?.place == Self.bye)
        #expect(await browser.authorize().loginPage != nil)
    }

    @Test("A user who declines the sign-out stays signed in")
    func refused() async throws {
        let world = try World()
        let (browser, _) = try await signedIn(world)
        let page = try #require(await browser.send(.get, "/end-session").signOutPage)
        #expect(await browser.submit(page.form, [:], .refuse).isSignedOutPage)
        #expect(await browser.authorize().redirect != nil)
    }

    @Test("A sign-out form with a forged CSRF token or from another browser is rejected")
    func csrf() async throws {
        let world = try World()
        let (browser, _) = try await signedIn(world)
        let page = try #require(await browser.send(.get, "/end-session").signOutPage)
        let forged = await browser.submit(page.form) { $0[Parameters.Name(rawValue: PageInput.csrf)] = "forged" }
        #expect(forged.status == .forbidden)
        #expect(await world.browser().submit(page.form).status == .forbidden)
        #expect(await browser.authorize().redirect != nil)
    }

    @Test("A confirmed sign-out does not sign out another user who signed in since")
    func otherPersonSince() async throws {
        let world = try World()
        let (browser, _) = try await signedIn(world)
        let page = try #require(await browser.send(.get, "/end-session").signOutPage)
        _ = try await browser.signIn(.authorization { $0[.prompt] = "login" }, name: "bob", password: "battery staple")
        _ = await browser.submit(page.form)
        #expect(await browser.authorize().redirect?.parameters[.code] != nil)
    }

    @Test("An ID token hint of another sign-in or user leads to the confirmation page")
    func otherLogin() async throws {
        let world = try World()
        let (_, elsewhere) = try await signedIn(world)
        let (browser, _) = try await signedIn(world)
        #expect(await browser.send(.get, "/end-session", request(elsewhere.id)).signOutPage != nil)
        let bob = world.browser()
        _ = try await bob.signIn(name: "bob", password: "battery staple")
        #expect(await bob.send(.get, "/end-session", request(elsewhere.id)).signOutPage?.userName == "bob")
    }

    @Test("A sign-out without a session redirects at once, or shows the signed-out page")
    func notSignedIn() async throws {
        let world = try World()
        #expect(await world.browser().send(.get, "/end-session").isSignedOutPage)
        #expect(await world.browser().send(.get, "/end-session", request(nil)).redirect?.place == Self.bye)
    }

    @Test(
        "A post-logout redirect URI that the client did not register gets an error page",
        arguments: [
            { @Sendable (request: inout Parameters) in request[.postLogoutRedirectURI] = "https://evil.example/" },
            { request in request[.postLogoutRedirectURI] = bye + "/" },
            { request in request[.postLogoutRedirectURI] = bye + "?a=b" },
            { request in request[.postLogoutRedirectURI] = Fixtures.redirectURI },
            { request in request[.clientID] = nil },
            { request in request[.clientID] = "nobody" },
            { request in request[.clientID] = "stranger" },
            { request in request[.idTokenHint] = "a.b.c" },
            { request in request.append(bye, for: .postLogoutRedirectURI) },
        ] as [@Sendable (inout Parameters) -> Void]
    )
    func openRedirect(change: @Sendable (inout Parameters) -> Void) async throws {
        let world = try World()
        let (browser, _) = try await signedIn(world)
        let response = await browser.send(.get, "/end-session", request(nil, change))
        #expect(response.errorSentence != nil)
        #expect(response.fields[.location] == nil)
        #expect(await browser.authorize().redirect != nil)
    }

    @Test("An ID token hint for one client is rejected from another")
    func otherClient() async throws {
        let world = try World()
        let (browser, tokens) = try await signedIn(world)
        let response = await browser.send(.get, "/end-session", request(tokens.id) { $0[.clientID] = "stranger" })
        #expect(response.errorSentence != nil)
    }

    @Test("An ID token hint with a forged signature is rejected")
    func forgedHint() async throws {
        let world = try World()
        let (browser, tokens) = try await signedIn(world)
        let claims = try await world.verifiedClaims(try #require(tokens.id))
        let forged = try SigningKey.generate(.es256, keyID: Fixtures.keys[1].keyID).sign(claims: claims)
        #expect(await browser.send(.get, "/end-session", request(forged)).errorSentence != nil)
    }

    @Test("A sign-out revokes the session's tokens, but not those with offline_access")
    func grants() async throws {
        let world = try World()
        let browser = world.browser()
        let online = try await world.tokens(.authorization { $0[.scope] = "openid" }, in: browser)
        let code = try #require(await browser.authorize().redirect?.parameters[.code])
        let offline = try Tokens(await world.post("/token", .codeGrant(code)))
        _ = await browser.send(.get, "/end-session", request(online.id))
        #expect(await world.userInfo(online.access).status == .unauthorized)
        #expect(await world.userInfo(offline.access).status == .ok)
        #expect(await world.refresh(try #require(offline.refresh)).status == .ok)
    }

    @Test("A sign-out revokes the session's unredeemed codes")
    func codes() async throws {
        let world = try World()
        let (browser, tokens) = try await signedIn(world, .authorization { $0[.scope] = "openid" })
        let code = try #require(
            await browser.authorize(.authorization { $0[.scope] = "openid" }).redirect?.parameters[.code]
        )
        _ = await browser.send(.get, "/end-session", request(tokens.id))
        #expect(await world.post("/token", .codeGrant(code)).error == "invalid_grant")
    }
}
