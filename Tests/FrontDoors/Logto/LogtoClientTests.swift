import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("LogtoClient: the names of Logto's SDK")
struct LogtoClientTests {
    @Test(
        "LogtoClient signs in, returns claims, tokens and user info, and restores its session at once",
        .covers(.logto, rows: 3, 15, 38, 53)
    )
    func story() async throws {
        let world = try LogtoWorld()
        let store = MemoryStore()
        let config = try world.config(
            scopes: ["email", "read", UserScope.organizations.rawValue],
            resources: [LogtoWorld.shopping]
        )
        let client = try world.client(config, store: store)
        #expect(!client.isAuthenticated && client.idToken == nil && client.refreshToken == nil)
        #expect(throws: LogtoClientErrors.IdToken.notAuthenticated) { try client.getIdTokenClaims() }
        try await client.signInWithBrowser(
            redirectUri: LogtoWorld.callback,
            loginHint: "alice",
            extraParams: ["theme": "dark"]
        )
        #expect(client.isAuthenticated && client.refreshToken != nil)
        #expect(try client.getIdTokenClaims().email == "alice@example.com")
        #expect(try LogtoUtilities.decodeIdToken(try #require(client.idToken).reveal()).sub == "user-alice")
        #expect(world.pages.parameters()["theme"] == "dark" && world.pages.parameters()[.loginHint] == "alice")
        #expect(try await client.fetchUserInfo().sub == "user-alice")
        #expect(try await client.getAccessTokenClaims(for: LogtoWorld.shopping)["aud"] == .string(LogtoWorld.shopping))
        let organization = try await client.getOrganizationTokenClaims(forId: "acme")
        #expect(organization["aud"] == .string("urn:logto:organization:acme"))
        #expect(organization["scope"]?.stringValue?.contains("read") == true)
        let token = try await client.getAccessToken(for: LogtoWorld.shopping)
        let restored = try world.client(config, store: store)
        #expect(restored.isAuthenticated)
        #expect(try await restored.getAccessToken(for: LogtoWorld.shopping) == token)
        await #expect(throws: LogtoErrors.Decoding.noPayloadFound) { _ = try await client.getAccessTokenClaims() }
    }

    @Test("A store without immediate reads is read by the first asynchronous call", .covers(.logto, rows: 53))
    func slowStore() async throws {
        let world = try LogtoWorld()
        try await world.client().signInWithBrowser(redirectUri: LogtoWorld.callback)
        let client = try world.client()
        #expect(!client.isAuthenticated)
        _ = try await client.getAccessToken()
        #expect(client.isAuthenticated)
    }

    @Test("A store that is locked at launch is read by a later call", .covers(.logto, rows: 53))
    func lockedStore() async throws {
        let world = try LogtoWorld()
        try await world.client().signInWithBrowser(redirectUri: LogtoWorld.callback)
        world.store.failAlways(.read, with: .locked)
        let client = try world.client()
        #expect(
            await thrownError { () throws(SignInError) in try await client.restore() }
                == SignInError(.storage, .storage(.locked))
        )
        world.store.recover()
        try await client.restore()
        #expect(client.isAuthenticated)
    }

    @Test(
        "Two tenants and two apps in one store keep separate sessions",
        .covers(.logto, rows: 53, cites: "G-11")
    )
    func namespaces() async throws {
        let store = MemoryStore()
        let first = try LogtoWorld()
        let second = try LogtoWorld(endpoint: "https://other.logto.test")
        try await first.client(store: store).signInWithBrowser(redirectUri: LogtoWorld.callback)
        try await second.client(store: store, userAgentName: "bob")
        let third = try first.config(appId: "logto-third-party")
        #expect(try !first.client(third, store: store).isAuthenticated)
        #expect(try first.client(store: store).getIdTokenClaims().sub == "user-alice")
        #expect(try second.client(store: store).getIdTokenClaims().sub == "user-bob")
    }

    @Test("A LogtoClient without a configuration fails every call", .covers(.logto, rows: 1))
    func noConfiguration() async throws {
        let client = LogtoClient(useConfig: try? LogtoConfig(endpoint: "nowhere", appId: "a"))
        #expect(!client.isAuthenticated && client.logtoConfig == nil)
        #expect(
            await logtoKind(LogtoClientErrorTypes.SignIn.self) {
                try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
            } == .unableToConstructRedirectUri
        )
        #expect(await client.signOut()?.type == .notAuthenticated)
    }

    @Test("Every request of LogtoClient goes through the given session", .covers(.logto, rows: 1, 31, cites: "G-9"))
    func injectedSession() async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        _ = try await client.fetchUserInfo()
        for path in ["/.well-known/openid-configuration", "/jwks", "/token", "/me"] { #expect(world.count(path) == 1) }
    }

    @Test("LogtoClient returns the tenant's metadata after it is fetched", .covers(.logto, rows: 1))
    func metadata() async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        #expect(client.oidcConfig == nil)
        let config = try await client.fetchOidcConfig()
        #expect(client.oidcConfig == config && config.jwksUri == "https://tenant.logto.test/oidc/jwks")
        let nobody = LogtoClient(useConfig: nil, transport: world.network)
        #expect(
            await logtoKind(LogtoClientErrorTypes.OidcConfig.self) { try await nobody.fetchOidcConfig() }
                == .unableToFetchOidcConfig
        )
    }

    @Test("User info requested from synchronous code runs in a task", .covers(.logto, rows: 38))
    func startedUserInfo() async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        func start() throws -> Task<LogtoUserInfo, any Error> { try client.fetchUserInfo() }
        #expect(await logtoKind(LogtoClientErrorTypes.UserInfo.self) { _ = try start() } == .unableToFetchUserInfo)
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(try await start().value.sub == "user-alice")
    }

    @Test(
        "A URL that the app is opened with ends its own sign-in of LogtoClient, and no other",
        .covers(.logto, rows: 21)
    )
    func handle() async throws {
        let world = try LogtoWorld()
        let redirects = ForwardedRedirects()
        let opened = AsyncStream<URL>.makeStream()
        let agent = ForwardingUserAgent(
            redirects,
            opening: { (url) throws(SignInError) in opened.continuation.yield(url) }
        )
        let client = try world.client(userAgent: agent, redirects: redirects)
        let uri = "https://app.example.com/callback"
        let task = Task { try await client.signInWithBrowser(redirectUri: uri) }
        var page: URL?
        for await url in opened.stream {
            page = url
            break
        }
        let attempt = try await world.person().attempt(awaiting: try RedirectURI(uri))
        let redirect = try await attempt.open(try #require(page), accepting: .any)
        #expect(!client.handle(url: URL(string: "https://app.example.com/other?code=c&state=s")!))
        #expect(!client.handle(url: URL(string: uri + "?code=c&state=guessed")!))
        #expect(client.handle(url: redirect))
        try await task.value
        #expect(client.isAuthenticated && !client.handle(url: redirect))
        #expect(!LogtoClient.handle(url: redirect))
    }

    @Test(
        "Version 1's LogtoClient.handle delivers a redirect to the waiting client",
        .covers(.logto, rows: 57, cites: "G-17")
    )
    func versionOneHandoff() async throws {
        let world = try LogtoWorld()
        let opened = AsyncStream<URL>.makeStream()
        // The page is the system browser's: no view of the app's own sees what the user types.
        let agent = ForwardingUserAgent(
            LogtoClient.redirects,
            opening: { (url) throws(SignInError) in opened.continuation.yield(url) }
        )
        let client = LogtoClient(
            useConfig: try world.config(),
            transport: world.network,
            userAgent: agent,
            store: world.store,
            clock: world.clock.device
        )
        let task = Task { try await client.signInWithBrowser(redirectUri: "io.logto://callback") }
        for await page in opened.stream {
            let attempt = try await world.person().attempt(awaiting: try RedirectURI("io.logto://callback"))
            #expect(LogtoClient.handle(url: try await attempt.open(page, accepting: .any)))
            break
        }
        try await task.value
        #expect(client.isAuthenticated)
    }

    @Test("Printing shows no token", .covers(.logto, rows: 61, cites: "G-16"))
    func redaction() async throws {
        let world = try LogtoWorld()
        let store = MemoryStore()
        let config = try world.config(scopes: ["email", UserScope.organizations.rawValue])
        let client = try world.client(config, store: store)
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        let session = try #require(try world.logto(config, store: store).restoreSessionNow())
        let details = try await session.accessTokenDetails(organizationID: "acme")
        let info = try await session.userInfo()
        let claims = try client.getIdTokenClaims()
        let closed = await thrownError { () throws(SignInError) in
            _ = try await session.organizationToken(for: "others")
        }
        let secrets = [
            try #require(client.refreshToken).reveal(), try #require(client.idToken).reveal(), details.token,
            try await client.getAccessToken(), "alice@example.com",
        ]
        let shown: [Any] = [
            client, session, details, info, claims, closed as Any, try world.logto(config), world.events.values,
            LogtoSignInOptions(oneTimeToken: Secret(details.token)), try #require(AccessTokenClaims(details.value)),
        ]
        for value in shown {
            var dumped = ""
            dump(value, to: &dumped)
            let text = "\(value) \(String(reflecting: value)) \(dumped)"
            for secret in secrets { #expect(!text.contains(secret)) }
        }
        #expect(
            details.token == details.value.reveal()
                && details.scope == details.scopes.map(\.rawValue).joined(separator: " ")
        )
        #expect(details.scopes.contains(Scope(rawValue: UserScope.organizations.rawValue)))
        #expect(details.expiresAt == Int64(world.clock.now.timeIntervalSince1970) + 3600)
    }
}

extension LogtoWorld {
    /// Signs another user in with a store.
    func client(store: any SecretStore, userAgentName: String) async throws {
        try await client(userAgent: person(userAgentName), store: store).signInWithBrowser(redirectUri: Self.callback)
    }
}

@Suite("LogtoClient: errors under the names of Logto's SDK")
struct LogtoClientErrorTests {
    private func signIn(
        _ scenario: Scenario = .none,
        redirectUri: String = LogtoWorld.callback,
        ending error: SignInError? = nil,
        losing path: String? = nil,
        prepare: (LogtoWorld) -> Void = { _ in }
    ) async throws -> any Error {
        let world = try LogtoWorld(scenario: scenario)
        prepare(world)
        if let path {
            for call in 1...3 { world.network.lose(call: call, to: path, .beforeProcessing, with: .unreachable) }
        }
        let agent = world.person(changing: { (url) throws(SignInError) in
            if let error { throw error }
            return url
        })
        do {
            try await world.client(userAgent: agent).signInWithBrowser(redirectUri: redirectUri)
        } catch {
            return error
        }
        return CancellationError()
    }

    @Test("Browser failures map to LogtoClient's sign-in errors", .covers(.logto, rows: 26, cites: "G-23"))
    func browser() async throws {
        let cases: [(SignInError?, String, LogtoClientErrorTypes.SignIn)] = [
            (SignInError(.authorization, .cancelled), LogtoWorld.callback, .authFailed),
            (SignInError(.authorization, .timedOut), LogtoWorld.callback, .authFailed),
            (SignInError(.authorization, .transport(.unreachable)), LogtoWorld.callback, .authFailed),
            (SignInError(.authorization, .configuration("No window.")), LogtoWorld.callback, .unableToConstructAuthUri),
            (nil, "io logto://callback", .unableToConstructRedirectUri),
            (nil, "http://example.com/callback", .unableToConstructRedirectUri),
        ]
        for (error, uri, type) in cases {
            let thrown = try await signIn(redirectUri: uri, ending: error) as? LogtoClientErrors.SignIn
            #expect(thrown?.type == type)
            if let error { #expect(thrown?.innerError as? SignInError == error) }
            #expect(thrown?.isCancellation == (error?.reason == .cancelled))
        }
    }

    @Test("Redirect failures map to LogtoClient's URI verification errors", .covers(.logto, rows: 3))
    func redirect() async throws {
        let cases: [(Scenario, LogtoErrors.UriVerification)] = [
            (.invalidState, .stateMismatched), (.missingCode, .missingCode), (.repeatedState, .decodeComponentsFailed),
            (.invalidResponseIssuer, .issuerMismatched),
        ]
        for (scenario, inner) in cases {
            let thrown = try await signIn(scenario) as? LogtoClientErrors.SignIn
            #expect(thrown?.type == .unexpectedSignInCallback)
            #expect(thrown?.innerError as? LogtoErrors.UriVerification == inner)
        }
    }

    @Test(
        "An OAuth error in the redirect maps to errorItemFound with its members",
        .covers(.logto, rows: 3)
    )
    func refused() async throws {
        let scenario = Scenario(name: "denied") { scenario in
            scenario.authorizationResponse = { parameters in
                parameters[.code] = nil
                parameters[.error] = "access_denied"
                parameters[.errorDescription] = "no"
            }
        }
        let thrown = try await signIn(scenario) as? LogtoClientErrors.SignIn
        #expect(thrown?.type == .unexpectedSignInCallback)
        let error = OAuthError(code: .accessDenied, description: "no")
        let items = [
            URLQueryItem(name: "error", value: "access_denied"), URLQueryItem(name: "error_description", value: "no"),
        ]
        #expect(thrown?.innerError as? LogtoErrors.UriVerification == .errorItemFound(items: items))
        #expect(SignInError(.redirect, .refused(error)).logtoFailure == .authorizationError(error))
    }

    @Test(
        "Metadata, key set and token failures map to their LogtoClient errors",
        .covers(.logto, rows: 1, 16, 27, 31)
    )
    func server() async throws {
        let metadata = "/oidc/.well-known/openid-configuration"
        let noMetadata = try await signIn(losing: metadata) as? LogtoClientErrors.OidcConfig
        #expect(noMetadata?.type == .unableToFetchOidcConfig)
        let otherTenant = try await signIn(.issuerMismatch) as? LogtoClientErrors.OidcConfig
        #expect(otherTenant?.innerError as? SignInError == SignInError(.discovery, .mismatch(.metadataIssuer)))
        let noKeys = try await signIn(losing: "/oidc/jwks") as? LogtoClientErrors.JwkSet
        #expect(noKeys?.type == .unableToFetchJwkSet)
        let noTokens = try await signIn(losing: "/oidc/token") as? LogtoClientErrors.SignIn
        #expect(noTokens?.type == .unableToFetchToken)
    }

    @Test(
        "ID token failures map to LogtoClient's verification errors",
        .covers(.logto, rows: 27),
        arguments: [
            (Scenario.invalidIssuer, LogtoErrors.Verification.jwtValueMismatched(field: .issuer)),
            (.invalidAudience, .jwtValueMismatched(field: .audience)),
            (.invalidNonce, .jwtValueMismatched(field: .nonce)),
            (.invalidAuthorizedParty, .jwtValueMismatched(field: .authorizedParty)),
            (.missingSubject, .jwtValueMismatched(field: .subject)),
            (.invalidAccessTokenHash, .jwtValueMismatched(field: .accessTokenHash)), (.missingExpiry, .jwtExpired),
            (.futureIssuedAt, .jwtIssuedTimeIncorrect), (.unsigned, .unsupportedAlgorithm),
            (.invalidSignature, .noSigningKeyMatched), (.missingIDToken, .jwtValueMismatched(field: .other)),
        ] as [(Scenario, LogtoErrors.Verification)]
    )
    func idToken(_ scenario: Scenario, _ inner: LogtoErrors.Verification) async throws {
        let thrown = try await signIn(scenario) as? LogtoClientErrors.SignIn
        #expect(thrown?.type == .authFailed && thrown?.innerError as? LogtoErrors.Verification == inner)
    }

    @Test(
        "Store failures and a second sign-in map to their LogtoClient errors",
        .covers(.logto, rows: 26, 53)
    )
    func storeAndSecond() async throws {
        let thrown =
            try await signIn(prepare: { $0.store.fail(.write, with: .unavailable) }) as? LogtoClientErrors.SignIn
        #expect(thrown?.type == .unknownError)
        #expect(thrown?.innerError as? SignInError == SignInError(.storage, .storage(.unavailable)))
        let world = try LogtoWorld()
        let gate = LogtoGate(over: world.network, path: "/oidc/token")
        let client = try world.client(transport: gate)
        let first = Task { try await client.signInWithBrowser(redirectUri: LogtoWorld.callback) }
        await gate.arrival()
        #expect(
            await logtoKind(LogtoClientErrorTypes.SignIn.self) {
                try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
            } == .signInSessionAlreadyInProgress
        )
        gate.open()
        try await first.value
    }

    @Test(
        "Access token failures map to LogtoClient's access token errors",
        .covers(.logto, rows: 14, 15, 32)
    )
    func accessTokens() async throws {
        let world = try LogtoWorld()
        let client = try world.client()
        func kind(_ resource: String? = nil, _ id: String? = nil) async -> LogtoClientErrorTypes.AccessToken? {
            await logtoKind(LogtoClientErrorTypes.AccessToken.self) {
                _ = try await client.getAccessToken(for: resource, organizationId: id)
            }
        }
        #expect(await kind() == .noRefreshTokenFound)
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(await kind() == nil)
        #expect(await kind(nil, "acme") == .unableToFetchTokenByRefreshToken)
        #expect(await kind(LogtoWorld.store) == .unableToFetchTokenByRefreshToken)
        world.clock.advance(by: .seconds(3600))
        world.network.lose(to: "/oidc/token", .beforeProcessing, with: .unreachable)
        #expect(await kind() == .unableToFetchTokenByRefreshToken)
        #expect(await kind() == nil)
        world.clock.advance(by: .seconds(15 * 86_400))
        #expect(await kind() == .unableToFetchTokenByRefreshToken)
        #expect(!client.isAuthenticated)
        #expect(await kind() == .noRefreshTokenFound)
    }

    @Test("Every LogtoClient error has a description", .covers(.logto, rows: 61))
    func descriptions() {
        let error = LogtoClientErrors.SignIn(type: .authFailed, innerError: SignInError(.authorization, .cancelled))
        #expect("\(error)" == "authFailed (authorization: The operation was cancelled.)")
        #expect("\(LogtoClientErrors.SignOut(type: .notAuthenticated))" == "notAuthenticated")
    }

    @Test(
        "Every LogtoClient error maps to a failure that an app acts on",
        arguments: [
            (SignInError(.authorization, .timedOut), LogtoFailure.timeout),
            (SignInError(.authorization, .transport(.unreachable)), .presentationFailed),
            (SignInError(.keys, .transport(.unreachable)), .discoveryFailed),
            (SignInError(.discovery, .server(status: 500)), .discoveryFailed),
            (SignInError(.token, .transport(.tls)), .network(.tls)),
            (SignInError(.token, .malformed("x")), .server(status: nil)),
            (
                SignInError(.token, .refused(OAuthError(code: .invalidGrant))),
                .tokenError(OAuthError(code: .invalidGrant))
            ),
            (SignInError(.endSession, .mismatch(.state)), .callbackMismatch),
            (SignInError(.authorization, .unsupported("x")), .configuration("x")),
        ] as [(SignInError, LogtoFailure)]
    )
    func categories(_ error: SignInError, _ failure: LogtoFailure) { #expect(error.logtoFailure == failure) }
}
