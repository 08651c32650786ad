import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("A session with logi")
struct LogiSessionTests {
    @Test(
        "A refresh sends the refresh token and the client, and stores the new tokens before it returns",
        .covers(.logi, rows: 32, 35, cites: "L-8")
    )
    func rotation() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        let first = try #require(session.tokens.refreshToken)
        try await session.refresh()
        let second = try #require(session.tokens.refreshToken)
        #expect(first != second)
        let form = try #require(world.wire.requests(to: "/oauth/token").last).form
        #expect(form.names == [.grantType, .refreshToken, .clientID])
        #expect(try await logi.restoreSession()?.tokens.refreshToken == second)
    }

    @Test(
        "Fifty concurrent callers cause one refresh",
        .covers(.logi, rows: 33, cites: "L-11")
    )
    func singleFlight() async throws {
        let world = try LogiWorld()
        let session = try await world.logi().signIn()
        world.clock.advance(by: .seconds(1000))
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<50 { group.addTask { try await session.accessToken() } }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(world.wire.requests(to: "/oauth/token").count == 2)
    }

    @Test("A logi access token is refreshed a minute before it expires", .covers(.logi, rows: 32))
    func leeway() async throws {
        let world = try LogiWorld()
        let session = try await world.logi().signIn()
        world.clock.advance(by: .seconds(839))
        _ = try await session.accessToken()
        #expect(world.wire.requests(to: "/oauth/token").count == 1)
        world.clock.advance(by: .seconds(2))
        _ = try await session.accessToken()
        #expect(world.wire.requests(to: "/oauth/token").count == 2)
    }

    @Test("A refresh response without a refresh token keeps the old one", .covers(.logi, rows: 32))
    func noRotation() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "no-rotation") { $0.manners = { $0.refreshTokens = .kept } }
        )
        let session = try await world.logi().signIn()
        let first = session.tokens.refreshToken
        try await session.refresh()
        #expect(session.tokens.refreshToken == first)
    }

    @Test(
        "A sign-in without a refresh token is a session that ends, and no error",
        .covers(.logi, rows: 32, cites: "L-3")
    )
    func noRefreshToken() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "lenient") {
                $0.tokenResponse = { response, _ in
                    response["refresh_token"] = nil
                    response["scope"] = nil
                    response["expires_in"] = "900"
                    response["token_type"] = "bearer"
                }
            }
        )
        let session = try await world.logi().signIn()
        #expect(!session.isRefreshable)
        #expect(session.scopes.text == "openid profile:basic email")
        #expect(session.accessTokenExpiry == world.clock.now.addingTimeInterval(900))
        let error = await thrownError { () async throws(SignInError) in try await session.refresh() }
        #expect(error == SignInError(.refresh, .signInRequired))
        #expect(LogiAuthError(try #require(error)) == .noRefreshToken)
    }

    @Test(
        "A refreshed ID token of another user, issuer or audience is rejected, and the tokens are kept",
        .covers(.logi, rows: 34, cites: "L-11"),
        arguments: [
            (Scenario.refreshInvalidSubject, SignInError.Check.subject), (.refreshInvalidIssuer, .issuer),
            (.refreshInvalidAudience, .audience), (.refreshUnexpectedNonce, .nonce),
        ]
    )
    func refreshedIdentity(scenario: Scenario, check: SignInError.Check) async throws {
        let world = try LogiWorld(scenario: scenario)
        let logi = try world.logi()
        let session = try await logi.signIn()
        let before = session.tokens
        #expect(
            await thrownError { () async throws(SignInError) in try await session.refresh() }
                == SignInError(.identity, .mismatch(check))
        )
        #expect(session.tokens == before)
        #expect(try await logi.restoreSession()?.tokens == before)
    }

    @Test("A refresh response without an ID token keeps the old one", .covers(.logi, rows: 34))
    func withoutIdentity() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "no-id-token") {
                $0.tokenResponse = { response, occasion in
                    if occasion == .refreshToken { response["id_token"] = nil }
                }
            }
        )
        let session = try await world.logi().signIn()
        let identity = session.identity
        try await session.refresh()
        #expect(session.identity == identity)
    }

    @Test(
        "invalid_grant ends the session with the server's request id; a failing server or network keeps it",
        .covers(.logi, rows: 32, 56, cites: "L-12")
    )
    func refreshFailures() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        world.network.lose(to: "/oauth/token", .beforeProcessing, with: .unreachable)
        #expect(
            await thrownError { () async throws(SignInError) in try await session.refresh() }
                == SignInError(.refresh, .transport(.unreachable))
        )
        for status in [HTTPResponse.Status.internalServerError, .tooManyRequests] {
            let busy = LogiOnce(
                EndpointResponse(status: status, fields: [.retryAfter: "7"], body: Array("secret page".utf8))
            )
            world.wire.answer { $0.url.path() == "/oauth/token" ? busy.take() : nil }
            let error = await thrownError { () async throws(SignInError) in try await session.refresh() }
            #expect(error == SignInError(.refresh, .server(status: status.code), retryAfter: .seconds(7)))
            #expect(
                LogiAuthError(try #require(error)) == .tokenExchangeFailed(status: status.code, error: nil)
            )
        }
        #expect(session.end == nil)
        try await session.refresh()
        try await logi.client.revoke(try #require(session.tokens.refreshToken), kind: .refreshToken)
        let error = try #require(await thrownError { () async throws(SignInError) in try await session.refresh() })
        #expect(error.endsSession && error.requestID?.hasPrefix("req_") == true)
        #expect(session.end == .revoked)
        #expect(try await logi.restoreSession() == nil)
        guard case .tokenExchangeFailed(nil, let refusal?) = LogiAuthError(error) else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(refusal.code == "invalid_grant")
        #expect(refusal.uri == "https://docs.1pass.dev/oauth/errors#invalid_grant")
        #expect(refusal.requestID == error.requestID)
        #expect(LogiAuthError(error).requestID == error.requestID)
        #expect(LogiAuthError(error).recovery == .signInAgain)
    }

    @Test("The request id of a response without an error is read from its header field", .covers(.logi, rows: 56))
    func requestIDOfPage() async throws {
        let world = try LogiWorld()
        let session = try await world.logi().signIn()
        let name = try #require(HTTPField.Name("X-Logi-Request-Id"))
        let page = EndpointResponse(status: .badGateway, fields: [name: "req_42"], body: Array("<html>".utf8))
        world.wire.answer { $0.url.path() == "/oauth/token" ? page : nil }
        #expect(
            await thrownError { () async throws(SignInError) in try await session.refresh() }
                == SignInError(.refresh, .server(status: 502), requestID: "req_42")
        )
    }

    @Test(
        "A token response that is a redirect, not JSON or without a token is rejected",
        .covers(.logi, rows: 3, cites: "L-3", "L-18"),
        arguments: [
            (
                EndpointResponse(status: .temporaryRedirect, fields: [.location: "https://evil.example/"]),
                SignInError(.token, .transport(.redirectRefused))
            ),
            (
                EndpointResponse(fields: [.contentType: "text/html"], body: Array("<html>".utf8)),
                SignInError(.token, .malformed("the media type is not application/json"))
            ),
            (
                EndpointResponse(fields: [.contentType: "application/json"], body: Array("{".utf8)),
                SignInError(.token, .malformed("the JSON is broken"))
            ),
        ]
    )
    func malformedAnswer(response: EndpointResponse, expected: SignInError) async throws {
        let world = try LogiWorld()
        world.wire.answer { $0.url.path() == "/oauth/token" ? response : nil }
        let logi = try world.logi()
        #expect(await thrownError { () async throws(SignInError) in _ = try await logi.signIn() } == expected)
        #expect(world.store.calls(of: .write) == 0)
    }

    @Test(
        "A secret that a public client shows is refused as invalid_client",
        .covers(.logi, rows: 35)
    )
    func downgrade() async throws {
        let world = try LogiWorld { $0.clients[0].id = "logi_other" }
        let logi = try world.logi(browser: LogiCodeBrowser())
        let error = try #require(await thrownError { () async throws(SignInError) in _ = try await logi.signIn() })
        guard case .refused(let refusal) = error.reason else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(error.stage == .token && refusal.code == .invalidClient)
        #expect(error.recovery == .fixConfiguration)
        #expect(world.wire.requests(to: "/oauth/token").first?.fields[.authorization] == nil)
        #expect(world.wire.requests(to: "/oauth/token").first?.form[.clientSecret] == nil)
    }

    @Test(
        "User info is read with the access token for the session's user",
        .covers(.logi, rows: 38)
    )
    func userInfo() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        let info = try await session.userInfo()
        #expect(info.claims["email"]?.string == "mina@example.com")
        #expect(info.claims["identity_verified_level"]?.integer == 2)
        #expect(try LogiClaims(info.claims).effectiveSub == "8c1f0a52-mina")
        // The documented way to learn that a grant was revoked: the access token is refused, and so is its renewal.
        try await logi.client.revoke(try #require(session.tokens.refreshToken), kind: .refreshToken)
        let error = try #require(await thrownError { () async throws(SignInError) in _ = try await session.userInfo() })
        #expect(error.endsSession && session.end == .revoked)
    }

    @Test(
        "A sign-out removes the session here first, and then revokes it at the server",
        .covers(.logi, rows: 39, cites: "L-13")
    )
    func signOut() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        let token = session.tokens.refreshToken
        let report = try await logi.signOut(session)
        #expect(report.revocationFailure == nil && report.endSessionFailure == nil && !report.endedProviderSession)
        #expect(session.end == .userAction)
        #expect(try await logi.restoreSession() == nil)
        let form = try #require(world.wire.requests(to: "/oauth/revoke").first).form
        #expect(form.names == [.token, .tokenTypeHint, .clientID])
        #expect(form[.token] == token?.reveal())
        #expect(world.wire.requests(to: "/oauth/revoke").first?.limits.deadline == .seconds(10))
    }

    @Test(
        "A sign-out without the server ends the session and reports the failed revocation",
        .covers(.logi, rows: 39, cites: "L-13")
    )
    func signOutOffline() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        world.network.lose(to: "/oauth/revoke", .beforeProcessing, with: .unreachable)
        let report = try await logi.signOut(session)
        #expect(report.revocationFailure == SignInError(.revocation, .transport(.unreachable)))
        #expect(try await logi.restoreSession() == nil)
    }

    @Test("A session without a refresh token has its access token revoked", .covers(.logi, rows: 39))
    func signOutWithoutRefreshToken() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "no-refresh-token") {
                $0.tokenResponse = { answer, _ in answer["refresh_token"] = nil }
            }
        )
        let logi = try world.logi()
        let session = try await logi.signIn()
        #expect(try await logi.signOut(session).revocationFailure == nil)
        #expect(world.wire.requests(to: "/oauth/revoke").map { $0.form[.tokenTypeHint] } == ["access_token"])
        #expect(try await logi.signOut(session).revocationFailure == nil)
        #expect(world.wire.requests(to: "/oauth/revoke").count == 1)
    }

    @Test(
        "A session survives a restart, apart from those of other issuers and clients",
        .covers(.logi, rows: 53)
    )
    func storage() async throws {
        let world = try LogiWorld()
        let session = try await world.logi().signIn()
        #expect(try await world.logi().restoreSession()?.tokens == session.tokens)
        let other = try world.configuration(clientID: LogiDevelopment.backendClientID)
        #expect(try await world.logi(other).restoreSession() == nil)
        let staging = try LogiConfiguration(
            clientID: LogiDevelopment.clientID,
            redirectURI: LogiWorld.redirectURI,
            issuer: "https://staging.example.com"
        )
        #expect(try await world.logi(staging).restoreSession() == nil)
    }

    @Test(
        "A failing store keeps the earlier session, and its failure is reported",
        .covers(.logi, rows: 53, cites: "L-8")
    )
    func storeFailure() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let first = try await logi.signIn()
        world.store.fail(.write, with: .locked)
        let error = await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
        #expect(error == SignInError(.storage, .storage(.locked)))
        #expect(LogiAuthError(try #require(error)) == .storageFailed(.locked))
        #expect(try await logi.restoreSession()?.tokens == first.tokens)
        world.store.fail(.remove, with: .unavailable)
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signOut(first) }
                == SignInError(.storage, .storage(.unavailable))
        )
        #expect(first.end == nil)
    }

    @Test(
        "A sign-out during a refresh ends the session, and the new tokens are revoked",
        .covers(.logi, rows: 33)
    )
    func signOutBeatsRefresh() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        let network = world.network
        let once = LogiOnce(EndpointResponse())
        world.wire.answer { request in
            guard request.url.path() == "/oauth/token", once.take() != nil else { return nil }
            let answer = try? await network.send(request)
            _ = try? await logi.signOut(session)
            return answer
        }
        #expect(
            await thrownError { () async throws(SignInError) in try await session.refresh() }
                == SignInError(.refresh, .signInRequired)
        )
        #expect(try await logi.restoreSession() == nil)
        #expect(world.wire.requests(to: "/oauth/revoke").count == 2)
    }

    @Test(
        "A public client signs a user in on another device",
        .covers(.logi, rows: 47)
    )
    func otherDevice() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let phone = try await world.browser.attempt(awaiting: try RedirectURI("myapp://never/comes"))
        let session = try await logi.signInOnOtherDevice { pending in
            guard let page = pending.completeVerificationURI.flatMap({ URL(string: $0) }) else { return }
            _ = try? await phone.open(page, accepting: .any)
        }
        #expect(session.identity?.subject == "8c1f0a52-mina")
        let forms = world.wire.requests(to: "/oauth/device_authorization").map(\.form)
        #expect(forms.map { $0[.scope] } == ["openid profile:basic email"])
        #expect(forms.map { $0[.clientID] } == [LogiDevelopment.clientID])
        #expect(
            world.wire.requests(to: "/oauth/token").last?.form[.grantType]
                == "urn:ietf:params:oauth:grant-type:device_code"
        )
    }
}
