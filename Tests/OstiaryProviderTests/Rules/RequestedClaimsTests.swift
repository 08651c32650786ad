import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("The claims parameter")
struct RequestedClaimsTests {
    private static func request(_ claims: String, client: String = "app") -> Parameters {
        .authorization {
            $0[.clientID] = client
            $0[.scope] = "openid"
            $0["claims"] = claims
        }
    }

    private static let email = #"{"userinfo": {"email": null}}"#

    private func world(_ change: (inout ProviderConfiguration) -> Void = { _ in }) throws -> World {
        try World {
            $0.rules = .oidc
            change(&$0)
        }
    }

    @Test("A claim is sent only if a scope that the client is registered for gives access to it")
    func registeredScopes() async throws {
        let world = try world { $0.clients[0].allowedScopes = [.openID, .profile] }
        let names = #"{"name": null, "email": null, "shoe_size": null}"#
        let tokens = try await world.tokens(Self.request(#"{"id_token": \#(names), "userinfo": \#(names)}"#))
        let info = try #require(await world.userInfo(tokens.access).json)
        for claims in [info, try await world.verifiedClaims(try #require(tokens.id))] {
            #expect(claims["name"] == "Alice Adams")
            #expect(claims["email"] == nil && claims["shoe_size"] == nil)
        }
    }

    @Test("The consent page lists the scope of a requested claim, and the consent is remembered")
    func consent() async throws {
        let world = try world()
        let browser = world.browser()
        let first = try await browser.signIn(Self.request(Self.email, client: "stranger"))
        let page = try #require(try await browser.follow(first).consentPage)
        #expect(page.scopes.map(\.scope) == ["openid", "email"])
        _ = await browser.submit(page.form)
        let again = await browser.authorize(Self.request(Self.email, client: "stranger"))
        #expect(again.redirect?.parameters[.code] != nil)
    }

    @Test("A remembered consent without a claim does not cover it")
    func otherConsent() async throws {
        let world = try world()
        let browser = world.browser()
        let first = try await browser.signIn(Self.request("{}", client: "stranger"))
        let page = try #require(try await browser.follow(first).consentPage)
        #expect(page.scopes.map(\.scope) == ["openid"])
        _ = await browser.submit(page.form)
        #expect(await browser.authorize(Self.request(Self.email, client: "stranger")).consentPage != nil)
    }

    @Test("A request for another user's sub gets no code for the signed-in user")
    func otherSubject() async throws {
        let world = try world()
        let browser = world.browser()
        _ = try await browser.signIn()
        let request = Self.request(#"{"id_token": {"sub": {"value": "subject-of-bob"}}}"#)
        #expect(await browser.authorize(request).loginPage != nil)
        var silent = request
        silent[.prompt] = "none"
        #expect(await browser.authorize(silent).redirectError == "login_required")
        #expect(try await browser.signIn(request).redirectError == "login_required")
        let bob = try await browser.signIn(request, name: "bob", password: "battery staple")
        #expect(bob.redirect?.parameters[.code] != nil)
    }

    @Test("A request whose id_token_hint and sub name two users is refused")
    func contradiction() async throws {
        let world = try world()
        let token = try #require(try await world.tokens().id)
        let request = Self.request(#"{"id_token": {"sub": {"value": "subject-of-bob"}}}"#)
        var hinted = request
        hinted[.idTokenHint] = token
        #expect(await world.browser().authorize(hinted).redirectError == "invalid_request")
    }
}
