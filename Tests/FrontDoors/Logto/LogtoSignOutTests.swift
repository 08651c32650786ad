import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Logto: signing out")
struct LogtoSignOutTests {
    private static let end = "io.logto.app://signed-out"

    /// The steps of a sign-out, in order.
    private func steps(of world: LogtoWorld, after first: Int) -> [String] {
        world.events.values.dropFirst(first).compactMap { event in
            switch event {
            case .ended: "wiped"
            case .exchange(let report) where report.stage == .revocation: "revoked"
            case .openedPage: "page"
            default: nil
            }
        }
    }

    @Test(
        "A sign-out removes the session, revokes the refresh token, then opens the end-session page",
        .covers(.logto, rows: 39, 40, cites: "G-13")
    )
    func order() async throws {
        let world = try LogtoWorld()
        let logto = try world.logto()
        let session = try await logto.signIn()
        let first = world.events.values.count
        let report = try await session.signOut(returningTo: Self.end)
        #expect(report.revocationFailure == nil && report.endSessionFailure == nil && report.endedProviderSession)
        #expect(steps(of: world, after: first) == ["wiped", "revoked", "page"])
        #expect(world.forms("/token/revocation").first?[.tokenTypeHint] == "refresh_token")
        #expect(world.forms("/token/revocation").first?[.clientID] == "logto-app")
        let sent = world.pages.parameters(of: 1)
        #expect(world.pages.urls[1].path() == "/oidc/session/end")
        #expect(sent[.clientID] == "logto-app" && sent[.postLogoutRedirectURI] == Self.end)
        #expect(sent[.state]?.utf8.count == 43 && sent[.idTokenHint] != nil)
        #expect(try await logto.restoreSession() == nil)
    }

    @Test(
        "The end-session request of LogtoSession omits the ID token hint when the app configures none",
        .covers(.logto, rows: 40, cites: "G-13")
    )
    func withoutHint() async throws {
        let world = try LogtoWorld()
        let session = try await world.logto(try world.config { $0.endSessionHint = .none }).signIn()
        let report = try await session.signOut(returningTo: Self.end)
        #expect(report.endedProviderSession && world.pages.parameters(of: 1)[.idTokenHint] == nil)
    }

    @Test(
        "A sign-out without a redirect URI opens Logto's page, and closing it succeeds",
        .covers(.logto, rows: 40)
    )
    func withoutRedirect() async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(await client.signOut() == nil)
        let sent = world.pages.parameters(of: 1)
        #expect(sent[.clientID] == "logto-app" && sent[.postLogoutRedirectURI] == nil)
        #expect(!client.isAuthenticated && world.count("/token/revocation") == 1)
    }

    @Test("A user who closes the page before the return is signed out", .covers(.logto, rows: 40))
    func closed() async throws {
        let world = try LogtoWorld()
        let agent = world.person(changing: { (url) throws(SignInError) in
            guard url.host() == "callback" else { throw SignInError(.authorization, .cancelled) }
            return url
        })
        let client = try world.client(userAgent: agent)
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(await client.signOut(postLogoutRedirectUri: Self.end) == nil)
        #expect(!client.isAuthenticated)
    }

    @Test(
        "A sign-out with an invalid redirect URI changes nothing",
        .covers(.logto, rows: 40),
        arguments: [
            "", "signed-out", "io.logto.app://signed-out#x", "io.logto.app:signed-out", "http://example.com/out",
        ]
    )
    func invalidRedirect(uri: String) async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(await client.signOut(postLogoutRedirectUri: uri)?.type == .invalidRedirectUri)
        #expect(client.isAuthenticated && world.count("/token/revocation") == 0 && world.pages.urls.count == 1)
        #expect(try await world.logto().restoreSession() != nil)
    }

    @Test("A sign-out without a session fails as notAuthenticated", .covers(.logto, rows: 40))
    func notAuthenticated() async throws {
        let client = try LogtoWorld().client()
        #expect(await client.signOut()?.type == .notAuthenticated)
        #expect(await client.clearCredentials()?.type == .notAuthenticated)
    }

    @Test(
        "Clearing the credentials with a locked store fails as unableToClearCredentials",
        .covers(.logto, rows: 53)
    )
    func lockedStore() async throws {
        let world = try LogtoWorld()
        try await world.client().signInWithBrowser(redirectUri: LogtoWorld.callback)
        world.store.failAlways(.read, with: .locked)
        let client = try world.client()
        #expect(await client.clearCredentials()?.type == .unableToClearCredentials)
    }

    @Test(
        "An end-session redirect with another state is reported, and the user is signed out of the app",
        .covers(.logto, rows: 40, cites: "G-13"),
        arguments: [Scenario.endSessionInvalidState, .endSessionMissingState]
    )
    func wrongState(_ scenario: Scenario) async throws {
        let world = try LogtoWorld(scenario: scenario)
        let client = try world.client()
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(await client.signOut(postLogoutRedirectUri: Self.end)?.type == .unexpectedSignOutCallback)
        #expect(!client.isAuthenticated)
    }

    @Test(
        "A failed revocation is reported after the end-session page",
        .covers(.logto, rows: 39)
    )
    func revocationFails() async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        world.network.lose(to: "/oidc/token/revocation", .beforeProcessing, with: .unreachable)
        let error = await client.signOut(postLogoutRedirectUri: Self.end)
        #expect(error?.type == .unableToRevokeToken)
        #expect(error?.innerError as? SignInError == SignInError(.revocation, .transport(.unreachable)))
        #expect(world.pages.urls.count == 2 && !client.isAuthenticated)
    }

    @Test(
        "A sign-out without the tenant's metadata removes the session and reports the rest as failed",
        .covers(.logto, rows: 39, 40)
    )
    func offline() async throws {
        let world = try LogtoWorld()
        try await world.client().signInWithBrowser(redirectUri: LogtoWorld.callback)
        // Nothing but the session was kept: the tenant's metadata has to be read.
        for key in try await (world.store.inner as? MemoryStore)?.keys() ?? []
        where key.description.hasPrefix("learned/") {
            try await world.store.inner.remove(key)
        }
        let client = try world.client()
        #expect(client.isAuthenticated == false)
        try await client.restore()
        world.network.lose(call: 1, to: "/oidc/.well-known/openid-configuration", .beforeProcessing, with: .unreachable)
        world.network.lose(call: 2, to: "/oidc/.well-known/openid-configuration", .beforeProcessing, with: .unreachable)
        #expect(await client.signOut(postLogoutRedirectUri: Self.end)?.type == .unableToFetchOidcConfig)
        #expect(!client.isAuthenticated)
        #expect(try await world.logto().restoreSession() == nil)
    }

    @Test(
        "A session that cannot be removed from the store stays signed in",
        .covers(.logto, rows: 53)
    )
    func storeFails() async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        world.store.fail(.remove, with: .locked)
        #expect(await client.signOut(postLogoutRedirectUri: Self.end)?.type == .unableToClearCredentials)
        #expect(client.isAuthenticated && world.count("/token/revocation") == 0)
        #expect(await client.clearCredentials() == nil && !client.isAuthenticated)
    }

    @Test(
        "An end-session page that cannot be opened, and a tenant without one, are reported",
        .covers(.logto, rows: 40)
    )
    func noPage() async throws {
        let world = try LogtoWorld()
        let agent = world.person(changing: { (url) throws(SignInError) in
            guard url.host() == "callback" else { throw SignInError(.authorization, .configuration("No window.")) }
            return url
        })
        let client = try world.client(userAgent: agent)
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(await client.signOut(postLogoutRedirectUri: Self.end)?.type == .unableToLaunchBrowser)
        let other = try LogtoWorld(
            scenario: Scenario(name: "no-end") { scenario in
                scenario.metadata = { $0["end_session_endpoint"] = nil }
            }
        )
        let second = try other.client()
        try await second.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(await second.signOut(postLogoutRedirectUri: Self.end)?.type == .unableToConstructSignOutUri)
    }

    @Test(
        "Clearing the credentials keeps the browser's session, and the next sign-in asks for no password",
        .covers(.logto, rows: 39)
    )
    func clear() async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        let logins = world.network.requests.filter { $0.path == "/oidc/login" }.count
        #expect(await client.clearCredentials() == nil)
        #expect(world.pages.urls.count == 1 && world.count("/token/revocation") == 1)
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(world.network.requests.filter { $0.path == "/oidc/login" }.count == logins)
    }
}
