import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The requirements of modules of the OpenID Foundation's plans for providers that no other suite tests: see
/// `Tests/Conformance/Modules+Provider.swift`.
@Suite("Modules of the plans for providers")
struct ProviderModuleTests {
    @Test("Scopes in another order give the same grant", arguments: ["email openid profile", "profile email openid"])
    func scopeOrder(scope: String) async throws {
        let world = try World()
        let tokens = try await world.tokens(.authorization { $0[.scope] = scope })
        #expect(tokens.id != nil)
        let claims = try #require(await world.userInfo(tokens.access).json)
        #expect(claims["email"] != nil && claims["name"] != nil)
    }

    @Test("A state of 1,000 characters comes back whole")
    func longState() async throws {
        let world = try World()
        let state = String(repeating: "0123456789", count: 100)
        let response = try await world.browser().signIn(.authorization { $0[.state] = state })
        #expect(response.redirect?.parameters[.state] == state)
    }

    @Test("A sign-out request without state is answered by a redirect without it")
    func noState() async throws {
        let world = try World()
        let browser = world.browser()
        let token = try #require(try await world.tokens(in: browser).id)
        let response = await browser.send(
            .get,
            "/end-session",
            Parameters([.idTokenHint: token, .postLogoutRedirectURI: "https://app.example.com/bye"])
        )
        #expect(response.fields[.location] == "https://app.example.com/bye")
    }

    @Test("A sign-out request with nothing but a state asks the user, and stays at the provider")
    func onlyState() async throws {
        let world = try World()
        let browser = world.browser()
        _ = try await world.tokens(in: browser)
        let page = try #require(await browser.send(.get, "/end-session", Parameters([.state: "s"])).signOutPage)
        #expect(await browser.submit(page.form).isSignedOutPage)
    }

    @Test("The nbf and exp of a DPoP proof have no effect", arguments: [-3600, 3600])
    func proofTimes(offset: Int) async throws {
        let world = try World()
        let prover = try Prover(world.clock)
        let time = Int(world.clock.now.timeIntervalSince1970) + offset
        let proof = try prover.proof {
            $0["nbf"] = .integer(time)
            $0["exp"] = .integer(time)
        }
        let code = try await world.code()
        let response = await world.post("/token", .codeGrant(code), fields: [.dpop: proof])
        #expect(response.json?["token_type"] == "DPoP")
    }

    @Test("A request_uri cannot be pushed")
    func pushedRequestURI() async throws {
        let world = try World()
        let response = await world.post("/par", .authorization { $0[.requestURI] = "urn:example:request" })
        #expect(response.error == "invalid_request")
    }
}
