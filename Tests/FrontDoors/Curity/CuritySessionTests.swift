import Foundation
import HTTPTypes
import Ostiary
import OstiaryCurity
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Curity: tokens")
struct CurityTokenTests {
    private func basic(_ registration: ClientRegistration) -> String {
        let pair =
            FormURLEncoding.escape(registration.clientID) + ":"
            + FormURLEncoding.escape(registration.clientSecret?.reveal() ?? "")
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }

    @Test(
        "A client registered for Basic sends its secret in the Authorization field alone",
        .covers(.curity, rows: 16, 35, cites: "C-4"),
        arguments: [Scenario.none, .punctuatedCredentials]
    )
    func basicCredentials(scenario: Scenario) async throws {
        let world = try CurityWorld(scenario: scenario)
        let curity = try world.start()
        let session = try await curity.signIn()
        try await session.refresh()
        let registration = try #require(try await curity.registration())
        let requests = world.tokenRequests
        #expect(requests.count == 2)
        for request in requests { #expect(request.fields[.authorization] == basic(registration)) }
        #expect(
            requests[0].form.names.map(\.rawValue).sorted() == ["code", "code_verifier", "grant_type", "redirect_uri"]
        )
        #expect(requests[1].form.names.map(\.rawValue).sorted() == ["grant_type", "refresh_token"])
        if scenario.name != "none" {
            #expect(registration.clientSecret?.reveal().hasPrefix("%&+=: /?#") == true)
            let field = try #require(Data(base64Encoded: String(basic(registration).dropFirst("Basic ".count))))
            #expect(String(decoding: field, as: UTF8.self).hasPrefix("%25%26%2B%3D%3A%20%2F%3F%23"))
        }
    }

    @Test(
        "A client registered for another authentication method uses that method",
        .covers(.curity, rows: 35, cites: "C-4", "C-13"),
        arguments: ["client_secret_post", "none"]
    )
    func otherMethods(method: String) async throws {
        let world = try CurityWorld()
        let curity = try world.start(.describingItself(authenticationMethod: method))
        try await curity.signIn().refresh()
        let registration = try #require(try await curity.registration())
        for request in world.tokenRequests {
            #expect(request.fields[.authorization] == nil)
            #expect(request.form[.clientID] == registration.clientID)
            #expect(request.form[.clientSecret] == registration.clientSecret?.reveal())
        }
        #expect((registration.clientSecret == nil) == (method == "none"))
    }

    @Test("The server's choice is adopted where the app leaves it open", .covers(.curity, rows: 35, cites: "C-13"))
    func adopted() async throws {
        let scenario = Scenario(name: "post") {
            $0.registration = { $0["token_endpoint_auth_method"] = "client_secret_post" }
        }
        let world = try CurityWorld(scenario: scenario)
        let curity = try world.start()
        _ = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(world.tokenRequests.first?.form[.clientSecret]?.isEmpty == false)
        #expect(world.tokenRequests.first?.fields[.authorization] == nil)
    }

    @Test(
        "A refresh rotates the token, keeps the ID token, and is stored before it is answered",
        .covers(.curity, rows: 32, 34)
    )
    func refresh() async throws {
        let world = try CurityWorld()
        let session = try await world.start().signIn()
        let identity = try #require(session.identity)
        let token = try await session.accessToken()
        try await session.refresh()
        #expect(try await session.accessToken() != token)
        #expect(session.identity == identity)
        let restored = try #require(try await world.start().restoreSession())
        #expect(restored.identity == identity)
        #expect(try await restored.accessToken() == session.accessToken())
        try await restored.refresh()
        let sent = world.tokenRequests.compactMap { $0.form[.refreshToken] }
        #expect(Set(sent).count == 2)
    }

    @Test("Concurrent callers refresh the token with one request", .covers(.curity, rows: 33))
    func together() async throws {
        let world = try CurityWorld()
        let session = try await world.start().signIn()
        world.clock.advance(by: .seconds(850))
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<50 { group.addTask { try await session.accessToken() } }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && world.tokenRequests.count == 2)
    }

    @Test("A Curity access token is refreshed a minute before it expires", .covers(.curity, rows: 32))
    func margin() async throws {
        let world = try CurityWorld()
        let session = try await world.start().signIn()
        #expect(session.accessTokenExpiry == world.clock.now.addingTimeInterval(900))
        world.clock.advance(by: .seconds(839))
        _ = try await session.accessToken()
        #expect(world.tokenRequests.count == 1)
        world.clock.advance(by: .seconds(2))
        _ = try await session.accessToken()
        #expect(world.tokenRequests.count == 2)
    }

    @Test("A refresh token that has expired ends the session, and not the registration", .covers(.curity, rows: 32))
    func expired() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let session = try await curity.signIn()
        let registration = try await curity.registration()
        world.clock.advance(by: .seconds(3601))
        let error = await thrownError { () throws(SignInError) in try await session.accessToken() }
        guard case .refused(let refusal) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .invalidGrant && error?.endsSession == true && session.hasEnded)
        #expect(try await world.start().restoreSession() == nil)
        #expect(try await curity.registration() == registration)
    }

    @Test(
        "A temporary error keeps the session and the registration",
        .covers(.curity, rows: 32),
        arguments: [("invalid_scope", 400), ("temporarily_unavailable", 400), ("server_error", 503)]
    )
    func passing(code: String, status: Int) async throws {
        let world = try CurityWorld()
        _ = try await world.start().signIn()
        let failing = CurityInterception(next: world.network) { request in
            guard request.form[.grantType] == "refresh_token" else { return nil }
            return CurityInterception.json(["error": .string(code)], status: .init(code: status))
        }
        let session = try #require(try await world.start(transport: failing).restoreSession())
        let error = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(error == SignInError(.refresh, .refused(OAuthError(code: .init(rawValue: code)))))
        #expect(!session.hasEnded)
        try await world.start().restoreSession()?.refresh()
    }

    @Test("A server's Retry-After is reported with the error", .covers(.curity, rows: 32))
    func rateLimited() async throws {
        let world = try CurityWorld()
        _ = try await world.start().signIn()
        let busy = CurityInterception(next: world.network) { request in
            guard request.form[.grantType] == "refresh_token" else { return nil }
            return EndpointResponse(status: .tooManyRequests, fields: [.retryAfter: "30"])
        }
        let app = CurityApp(try world.start(transport: busy))
        let error = try #require(await thrownError { () throws(CurityError) in try await app.refresh() })
        #expect(error.domain == .http && error.code.rawValue == 429 && error.retryAfter == .seconds(30))
        #expect(try await app.current()?.hasEnded == false)
    }

    @Test("User info is accepted for the session's user, and rejected for another user", .covers(.curity, rows: 38, 52))
    func userInfo() async throws {
        let session = try await CurityWorld().start().signIn()
        #expect(try await session.userInfo().claims["name"] == "Alice")
        let other = try await CurityWorld(scenario: .userInfoInvalidSubject).start().signIn()
        let error = await thrownError { () throws(SignInError) in try await other.userInfo() }
        #expect(error == SignInError(.userInfo, .mismatch(.subject)))
    }
}

@Suite("Curity: signing out")
struct CuritySignOutTests {
    @Test(
        "The tokens are revoked, the browser's session is ended with a hint, and the registration stays",
        .covers(.curity, rows: 39, 40, cites: "C-8"),
        arguments: [false, true]
    )
    func signOut(afterRestart: Bool) async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let first = try await curity.signIn()
        let registration = try await curity.registration()
        let session = afterRestart ? try #require(try await world.start().restoreSession()) : first
        let report = try await session.signOut()
        #expect(report.endedProviderSession && report.revocationFailure == nil && session.hasEnded)
        let order = world.network.requests.map(\.path)
        let revoked = try #require(order.lastIndex(of: CurityWorld.revocationPath))
        #expect(revoked < (try #require(order.lastIndex(of: "/oauth/v2/oauth-session"))))
        let revocation = world.network.requests[revoked].request
        #expect(revocation.form[.tokenTypeHint] == "refresh_token" && revocation.fields[.authorization] != nil)
        let query = try #require(world.pages("/oauth/v2/oauth-session").first)
        #expect(query[.clientID] == registration?.clientID)
        #expect(query[.idTokenHint] == session.identity?.compact.reveal())
        #expect(query[.postLogoutRedirectURI] == "io.curity.client:/logoutcallback")
        #expect(query[.state]?.count == 43)
        #expect(try await world.start().restoreSession() == nil)
        #expect(try await world.start().registration() == registration)
        // The browser's session is gone: the next user has to type a password.
        _ = try await curity.signIn()
        #expect(world.network.count(path: "/authn/authentication/login") == 2)
        #expect(world.registrations.count == 1)
    }

    @Test(
        "A session still has its ID token hint after two restarts and a refresh",
        .covers(.curity, rows: 34, 40)
    )
    func afterRefresh() async throws {
        let world = try CurityWorld()
        _ = try await world.start().signIn()
        try await world.start().restoreSession()?.refresh()
        let session = try #require(try await world.start().restoreSession())
        #expect(try await session.signOut().endedProviderSession)
        #expect(world.pages("/oauth/v2/oauth-session").first?[.idTokenHint] != nil)
    }

    @Test("An end-session response with another state does not confirm the sign-out", .covers(.curity, rows: 40))
    func otherState() async throws {
        let session = try await CurityWorld(scenario: .endSessionInvalidState).start().signIn()
        let report = try await session.signOut()
        #expect(report.endSessionFailure == SignInError(.endSession, .mismatch(.state)))
        #expect(!report.endedProviderSession && session.hasEnded)
    }

    @Test("A user who closes the end-session page is still signed out of the app", .covers(.curity, rows: 40))
    func cancelled() async throws {
        let world = try CurityWorld()
        _ = try await world.start().signIn()
        let closing = ScriptedUserAgent { (_, _) throws(SignInError) in throw SignInError(.authorization, .cancelled) }
        let session = try #require(try await world.start(userAgent: closing).restoreSession())
        let report = try await session.signOut()
        #expect(report.endSessionFailure == SignInError(.endSession, .cancelled))
        #expect(try await world.start().restoreSession() == nil)
    }

    @Test(
        "A sign-out during a refresh ends the session, and the refreshed tokens are discarded",
        .covers(.curity, rows: 33)
    )
    func beatsRefresh() async throws {
        let world = try CurityWorld()
        _ = try await world.start().signIn()
        let gate = CurityGate(next: world.network) { $0.form[.grantType] == "refresh_token" }
        let session = try #require(try await world.start(transport: gate).restoreSession())
        async let refresh = thrownError { () throws(SignInError) in try await session.refresh() }
        await gate.arrival()
        try await session.signOut()
        gate.open()
        #expect(await refresh == SignInError(.refresh, .signInRequired))
        #expect(try await world.start().restoreSession() == nil)
    }

    @Test("Without a post-logout redirect URI no end-session page is opened", .covers(.curity, rows: 39, 40))
    func withoutPage() async throws {
        let world = try CurityWorld()
        let session = try await world.start { $0.postLogoutRedirectURI = nil }.signIn()
        let report = try await session.signOut()
        #expect(report.revocationFailure == nil && report.endSessionFailure == nil)
        #expect(world.pages("/oauth/v2/oauth-session").isEmpty)
    }
}
