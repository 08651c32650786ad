import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryLogi
import OstiaryMigration
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("The calls of logi's document")
struct LogiAuthTests {
    private func configured(
        _ world: LogiWorld,
        browser: (any UserAgent)? = nil,
        opener: Logi.Opener? = nil,
        store: (any SecretStore)? = nil,
        change: (inout LogiAuthConfig) -> Void = { _ in }
    ) throws -> LogiAuth {
        let auth = LogiAuth()
        let uri = try #require(URL(string: LogiWorld.redirectURI))
        var config = LogiAuthConfig(clientId: LogiDevelopment.clientID, redirectURI: uri)
        change(&config)
        auth.configure(
            config,
            on: LogiAuthPlatform(
                browser: browser ?? world.browser,
                opener: opener,
                transport: world.wire,
                store: store ?? world.store,
                clock: world.clock.device
            )
        )
        return auth
    }

    @Test(
        "LogiAuth that is not configured throws notConfigured and consumes no URL",
        .covers(.logi, rows: 3)
    )
    func notConfigured() async throws {
        let auth = LogiAuth()
        #expect(await thrownError { () async throws(LogiAuthError) in _ = try await auth.signIn() } == .notConfigured)
        #expect(await thrownError { () async throws(LogiAuthError) in _ = try await auth.refresh() } == .notConfigured)
        #expect(await thrownError { () async throws(LogiAuthError) in try await auth.signOut() } == .notConfigured)
        #expect(
            await thrownError { () async throws(LogiAuthError) in _ = try await auth.currentRefreshToken() }
                == .notConfigured
        )
        #expect(!auth.handle(try #require(URL(string: LogiWorld.redirectURI))))
        #expect(!auth.cancel() && auth.handoffKind == nil && auth.lastSession == nil)
        #expect(await !auth.disconnectApp(pak: Secret("logi_pak_x")))
    }

    @Test(
        "An invalid configuration of LogiAuth is reported by each call",
        .covers(.logi, rows: 22)
    )
    func invalid() async throws {
        let auth = LogiAuth()
        let uri = try #require(URL(string: "ftp://x/callback"))
        let config = LogiAuthConfig(clientId: "logi_x", redirectURI: uri)
        #expect(config.resolvedNativeAuthorizeHost == nil)
        auth.configure(config, on: LogiAuthPlatform(browser: LogiCodeBrowser()))
        let error = await thrownError { () async throws(LogiAuthError) in _ = try await auth.signIn() }
        guard case .invalidConfiguration(let sentence) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(sentence.hasPrefix("ftp cannot be the scheme of a redirect URI"))
        #expect(error?.recovery == .fixConfiguration)
    }

    @Test("The configuration's defaults are the document's", .covers(.logi, rows: 24, cites: "L-14"))
    func defaults() throws {
        let uri = try #require(URL(string: "myapp://oauth/1pass/callback"))
        var config = LogiAuthConfig(clientId: "logi_xxx", redirectURI: uri)
        #expect(config.issuer.absoluteString == "https://api.1pass.dev")
        #expect(config.scopes == ["openid", "profile:basic", "email"])
        #expect(config.prefersEphemeralWebSession)
        #expect(config.resolvedNativeAuthorizeHost == "open.1pass.dev")
        #expect(LogiAuthConfig.defaultNativeAuthorizeHost == "open.1pass.dev")
        #expect(try config.checked().browserSession == .ephemeral)
        config.prefersEphemeralWebSession = false
        #expect(try config.checked().browserSession == .shared)
        config.issuer = try #require(URL(string: "https://staging.example.com"))
        #expect(config.resolvedNativeAuthorizeHost == "staging.example.com")
        #expect(try config.checked().tokenIssuer.description == "https://staging.example.com")
        config.tokenIssuer = "logi"
        #expect(throws: SignInError.self) { try config.checked() }
    }

    @Test(
        "A sign-in gives a verified session, which a refresh renews and a sign-out ends",
        .covers(.logi, rows: 3, 16, 32, 39, cites: "L-13")
    )
    func story() async throws {
        let world = try LogiWorld()
        let auth = try configured(world)
        let session = try await auth.signIn()
        #expect(session.sub == "8c1f0a52-mina" && session.email == "mina@example.com")
        #expect(session.tokenType == "Bearer" && session.expiresAt == world.clock.now.addingTimeInterval(900))
        #expect(session.scope?.contains("profile:basic") == true)
        #expect(session.claims.effectiveSub == "8c1f0a52-mina")
        #expect(auth.lastSession == session)
        #expect(try await auth.currentRefreshToken() == session.refreshToken)
        let renewed = try await auth.refresh()
        #expect(renewed.accessToken != session.accessToken && renewed.refreshToken != session.refreshToken)
        #expect(auth.lastSession == renewed)
        try await auth.signOut()
        #expect(auth.lastSession == nil)
        #expect(try await auth.currentRefreshToken() == nil)
        #expect(world.wire.requests(to: "/oauth/revoke").count == 1)
        #expect(
            await thrownError { () async throws(LogiAuthError) in _ = try await auth.refresh() } == .noRefreshToken
        )
        try await auth.signOut()
        #expect(world.wire.requests(to: "/oauth/revoke").count == 1)
    }

    @Test(
        "After a restart the stored session is renewed, once for all who ask",
        .covers(.logi, rows: 33, 53, cites: "L-11")
    )
    func restart() async throws {
        let world = try LogiWorld()
        _ = try await configured(world).signIn()
        let auth = try configured(world)
        #expect(auth.lastSession == nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await auth.refresh() } }
            try await group.waitForAll()
        }
        // Those that came while the first was under way share it; no token was used twice, so the session lives.
        #expect(try await auth.currentRefreshToken() != nil)
        #expect(auth.lastSession != nil)
    }

    @Test(
        "A refresh rejected with invalid_grant ends the session, and the next one finds no refresh token",
        .covers(.logi, rows: 32)
    )
    func ended() async throws {
        let world = try LogiWorld()
        let auth = try configured(world)
        let session = try await auth.signIn()
        try await auth.door().client.revoke(try #require(session.refreshToken), kind: .refreshToken)
        let error = await thrownError { () async throws(LogiAuthError) in _ = try await auth.refresh() }
        guard case .tokenExchangeFailed(nil, let refusal?) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(refusal.code == "invalid_grant" && refusal.requestID?.hasPrefix("req_") == true)
        #expect(auth.lastSession == nil)
        #expect(
            await thrownError { () async throws(LogiAuthError) in _ = try await auth.refresh() } == .noRefreshToken
        )
    }

    @Test("A redirect that the app is opened with ends the sign-in of LogiAuth", .covers(.logi, rows: 19, 22))
    func handle() async throws {
        let world = try LogiWorld()
        let opened = AsyncStream<URL>.makeStream()
        let auth = try configured(
            world,
            opener: { url in
                opened.continuation.yield(url)
                return true
            }
        )
        async let signedIn = auth.signIn()
        var pages = opened.stream.makeAsyncIterator()
        let page = try #require(await pages.next())
        #expect(auth.handoffKind == .native)
        #expect(!auth.handle(try #require(URL(string: "myapp://oauth/1pass/other?code=c"))))
        let web = try #require(URL(string: page.absoluteString.replacing("open.1pass.dev", with: "api.1pass.dev")))
        let answer = try await world.browser.attempt(awaiting: try RedirectURI(LogiWorld.redirectURI)).open(
            web,
            accepting: .any
        )
        #expect(auth.handle(answer))
        #expect(try await signedIn.sub == "8c1f0a52-mina")
        #expect(auth.handoffKind == nil)
    }

    @Test(
        "A sign-in of LogiAuth can be cancelled, and a second one meanwhile is refused",
        .covers(.logi, rows: 26)
    )
    func cancelling() async throws {
        let world = try LogiWorld()
        let browser = LogiWaitingBrowser()
        let auth = try configured(world, browser: browser)
        let first = Task { () async -> LogiAuthError? in
            await thrownError { () async throws(LogiAuthError) in _ = try await auth.signIn() }
        }
        _ = await browser.nextPage()
        #expect(auth.handoffKind == .web)
        #expect(
            await thrownError { () async throws(LogiAuthError) in _ = try await auth.signIn() }
                == .alreadyInProgress
        )
        #expect(await !auth.cancelAbandonedHandoff())
        #expect(auth.cancel())
        #expect(await first.value == .userCancelled)
        #expect(!auth.cancel())
    }

    @Test("The defaults of a sign-in outlive the process: the session is in no MemoryStore", .covers(.logi, rows: 53))
    func permanentStore() {
        #expect(!(LogiAuthPlatform().store is MemoryStore) && !(LogiAuthPlatform.current.store is MemoryStore))
        #expect(LogiAuthPlatform().browser is PlatformUserAgent)
    }

    @Test(
        "After a sign-in whose account claims contradict each other no session is kept, here and at the server",
        .covers(.logi, rows: 45)
    )
    func contradictoryClaims() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "contradictory") { responses in
                responses.idToken = { draft in
                    draft.claims["canonical_sub"] = "another"
                    draft.claims["is_canonical"] = true
                }
            }
        )
        let auth = try configured(world)
        let error = await thrownError { () async throws(LogiAuthError) in _ = try await auth.signIn() }
        #expect(error == .idTokenInvalid(code: "malformed"))
        #expect(auth.lastSession == nil)
        #expect(try await auth.currentRefreshToken() == nil)
        #expect(world.wire.requests(to: "/oauth/revoke").count == 1)
    }

    @Test(
        "An access token of LogiAuth stays valid: it is refreshed before it expires, also after a restart",
        .covers(.logi, rows: 32, 53)
    )
    func accessToken() async throws {
        let world = try LogiWorld()
        let first = try await configured(world).signIn()
        let auth = try configured(world)
        #expect(try await auth.accessToken() == first.accessToken)
        world.clock.advance(by: .seconds(900))
        #expect(try await auth.accessToken() != first.accessToken)
        try await auth.signOut()
        #expect(
            await thrownError { () async throws(LogiAuthError) in _ = try await auth.accessToken() }
                == .noRefreshToken
        )
    }

    @Test(
        "A session that the vendor's SDK or the manual integration kept is continued from its refresh token",
        .covers(.logi, rows: 53)
    )
    func adopted() async throws {
        let world = try LogiWorld()
        let kept = try #require(try await world.logi(store: MemoryStore()).signIn().tokens.refreshToken)
        let auth = try configured(world)
        let session = try await auth.adopt(refreshToken: kept)
        #expect(session.sub == "8c1f0a52-mina" && session.refreshToken != kept && auth.lastSession == session)
        #expect(try await auth.adopt(refreshToken: Secret("another")).sub == session.sub)
        let imported = try ImportedSession(keychainText: Array("not a token".utf8))
        let other = try world.logi(store: MemoryStore())
        let error = await thrownError { () async throws(SignInError) in _ = try await other.adopt(imported) }
        guard case .refused(let refusal) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .invalidGrant)
    }

    @Test(
        "A sign-in of LogiAuth that a termination interrupted is finished with the URL that opens the app again",
        .covers(.logi, rows: 25)
    )
    func resumed() async throws {
        let world = try LogiWorld()
        let browser = LogiWaitingBrowser()
        let auth = try configured(world, browser: browser, change: { $0.pendingLifetime = .seconds(600) })
        let interrupted = Task { () async -> Void in
            _ = await thrownError { () async throws(LogiAuthError) in _ = try await auth.signIn() }
        }
        let page = try #require(await browser.nextPage())
        let redirect = try await world.browser.attempt(awaiting: try RedirectURI(LogiWorld.redirectURI))
            .open(page, accepting: .any)
        let again = try configured(
            world,
            store: StoreOfAnotherProcess(world.store),
            change: { $0.pendingLifetime = .seconds(600) }
        )
        #expect(try await again.resume(from: redirect)?.sub == "8c1f0a52-mina")
        #expect(again.lastSession != nil)
        #expect(try await again.resume(from: redirect) == nil)
        auth.cancel()
        await interrupted.value
    }

    @Test(
        "A disconnection ends the session only when the server confirmed it",
        .covers(.logi, rows: 42)
    )
    func disconnect() async throws {
        let world = try LogiWorld()
        let auth = try configured(world)
        _ = try await auth.signIn(scopes: ["openid", "profile:write"])
        let logi = try auth.door()
        let session = try #require(try await logi.restoreSession())
        let key = try await logi.deviceExchange().key(for: session, on: .iOS)
        #expect(await !auth.disconnectApp(pak: Secret("logi_pak_unknown")))
        #expect(try await auth.currentRefreshToken() != nil)
        #expect(await auth.disconnectApp(pak: key.value))
        #expect(try await auth.currentRefreshToken() == nil && auth.lastSession == nil)
    }

    @Test(
        "LogiAuth's device calls return the same keys and accounts as the front door's",
        .covers(.logi, rows: 43, 44)
    )
    func devices() async throws {
        let world = try LogiWorld()
        let auth = try configured(world)
        let uri = try #require(URL(string: LogiWorld.redirectURI))
        let config = LogiAuthConfig(clientId: LogiDevelopment.clientID, redirectURI: uri)
        var platform = LogiAuthPlatform(
            browser: world.browser,
            transport: world.wire,
            store: world.store,
            platform: .iOS
        )
        let session = try await auth.signIn()
        let device = try LogiDeviceKey(config: config, on: platform)
        #expect(try await device.storedDeviceRecordID() == nil)
        let key = try await device.exchange(oauthJWT: session.accessToken)
        #expect(try await device.storedDeviceRecordID() == key.deviceRecordID)
        try await device.reset()
        #expect(try await device.storedDeviceRecordID() == nil)
        let refused = await thrownError { () async throws(LogiAuthError) in
            _ = try await device.exchange(oauthJWT: Secret("nobody's"))
        }
        #expect(refused?.requestID?.hasPrefix("req_") == true)

        let anonymous = try LogiAuthAnonymousDevice(config: config, on: platform)
        let account = try await anonymous.bootstrap(deviceName: "A phone")
        #expect(account.isAnonymous && account.nickname == "A phone")
        try await anonymous.reset()
        #expect(try await anonymous.bootstrap().userID != account.userID)
        platform.platform = "linux"
        let elsewhere = try LogiAuthAnonymousDevice(config: config, on: platform)
        #expect(
            await thrownError { () async throws(LogiAuthError) in _ = try await elsewhere.bootstrap() }
                == .invalidConfiguration("Anonymous accounts are for ios and macos.")
        )
    }

    @Test(
        "Every sign-in error maps to the vendor's error and its recovery",
        .covers(.logi, rows: 3, 56),
        arguments: [
            (SignInError(.authorization, .cancelled), LogiAuthError.userCancelled, SignInError.Recovery.retry),
            (SignInError(.authorization, .timedOut), .handoffTimeout, .retry),
            (SignInError(.authorization, .alreadyInProgress), .alreadyInProgress, .retry),
            (SignInError(.token, .transport(.unreachable)), .network(.unreachable), .retry),
            (SignInError(.token, .transport(.cancelled)), .userCancelled, .retry),
            (SignInError(.token, .server(status: 500)), .tokenExchangeFailed(status: 500, error: nil), .retry),
            (SignInError(.refresh, .server(status: 429)), .tokenExchangeFailed(status: 429, error: nil), .retry),
            (SignInError(.refresh, .signInRequired), .noRefreshToken, .signInAgain),
            (SignInError(.keys, .server(status: 503)), .jwksFetchFailed(status: 503), .retry),
            (SignInError(.keys, .transport(.timedOut)), .jwksFetchFailed(status: nil), .retry),
            (SignInError(.keys, .malformed("the key set")), .jwksFetchFailed(status: nil), .retry),
            (SignInError(.redirect, .mismatch(.state)), .stateMismatch, .signInAgain),
            (SignInError(.redirect, .malformed("code")), .missingCode, .none),
            (SignInError(.identity, .mismatch(.idToken)), .missingIdToken, .none),
            (SignInError(.identity, .mismatch(.nonce)), .idTokenInvalid(code: "nonce_mismatch"), .none),
            (SignInError(.storage, .storage(.locked)), .storageFailed(.locked), .retry),
            (SignInError(.storage, .storage(.corrupted)), .storageFailed(.corrupted), .none),
            (SignInError(.discovery, .configuration("x")), .invalidConfiguration("x"), .fixConfiguration),
            (
                SignInError(.discovery, .mismatch(.metadataIssuer)),
                .failed(SignInError(.discovery, .mismatch(.metadataIssuer))), .fixConfiguration
            ),
            (
                SignInError(.redirect, .refused(OAuthError(code: .invalidScope))),
                .authorizationServerError(code: "invalid_scope", description: nil), .fixConfiguration
            ),
        ]
    )
    func errors(error: SignInError, told: LogiAuthError, recovery: SignInError.Recovery) {
        #expect(LogiAuthError(error) == told)
        #expect(told.recovery == recovery)
    }

    @Test(
        "A refusal keeps its code, its page, its request id and its retry time",
        .covers(.logi, rows: 56)
    )
    func refusal() {
        let error = SignInError(
            .token,
            .refused(OAuthError(code: .invalidClient, description: "Unknown.", uri: "https://docs.1pass.dev/x")),
            retryAfter: .seconds(3),
            requestID: "req_1"
        )
        guard case .tokenExchangeFailed(nil, let refusal?) = LogiAuthError(error) else {
            Issue.record("another error")
            return
        }
        #expect(refusal.code == "invalid_client" && refusal.description == "Unknown.")
        #expect(
            refusal.uri == "https://docs.1pass.dev/x" && refusal.requestID == "req_1"
                && refusal.retryAfter == .seconds(3)
        )
        #expect(LogiAuthError(error).recovery == .fixConfiguration)
        let other = LogiAuthError(SignInError(.discovery, .server(status: 500), requestID: "req_2"))
        #expect(other.requestID == "req_2" && LogiAuthError.notConfigured.requestID == nil)
    }
}
