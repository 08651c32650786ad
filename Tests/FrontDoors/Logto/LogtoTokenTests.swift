import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("Logto: access tokens of APIs and organizations")
struct LogtoTokenTests {
    private static let scopes = ["read", "manage", "shopping:read", UserScope.organizations.rawValue]

    private func signedIn(_ world: LogtoWorld, as name: String = "alice", appId: String = "logto-app") async throws
        -> LogtoSession
    {
        try await world.logto(
            try world.config(scopes: Self.scopes, resources: [LogtoWorld.shopping], appId: appId),
            userAgent: world.person(name)
        ).signIn()
    }

    @Test(
        "An access token without a resource is opaque, and accepted for user info",
        .covers(.logto, rows: 15, 38)
    )
    func opaque() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        #expect(!(try await session.accessToken().reveal().contains(".")))
        #expect(try await session.accessTokenClaims() == nil)
        #expect(try await session.userInfo().sub == "user-alice")
        #expect(world.count("/token") == 1)
    }

    @Test(
        "An access token for an API is a JWT with the scopes of the user's roles",
        .covers(.logto, rows: 13, 15)
    )
    func resource() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        let claims = try #require(try await session.accessTokenClaims(for: LogtoWorld.shopping))
        #expect(claims.audience == [LogtoWorld.shopping] && claims.organizationID == nil)
        #expect(
            claims.scopes == ["read", "shopping:read"] && claims.clientID == "logto-app" && claims.sub == "user-alice"
        )
        #expect(world.forms("/token").last?[.resource] == LogtoWorld.shopping)
        #expect(world.forms("/token").last?["organization_id"] == nil)
    }

    @Test(
        "An access token for an organization is a JWT with the scopes of the user's roles there",
        .covers(.logto, rows: 14)
    )
    func organization() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        let claims = try #require(try await session.accessTokenClaims(organizationID: "acme"))
        #expect(claims.audience == ["urn:logto:organization:acme"] && claims.organizationID == "acme")
        #expect(claims.scopes == ["read", "manage"])
        #expect(
            world.forms("/token").last?["organization_id"] == "acme" && world.forms("/token").last?[.resource] == nil
        )
    }

    @Test(
        "An access token for an API and an organization is a JWT for the API that names the organization",
        .covers(.logto, rows: 13, 14)
    )
    func both() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        let claims = try #require(try await session.accessTokenClaims(for: LogtoWorld.shopping, organizationID: "acme"))
        #expect(claims.audience == [LogtoWorld.shopping] && claims.organizationID == "acme")
        #expect(claims.claims["organization_id"] == "acme")
    }

    @Test(
        "An organization's URN as a resource returns that organization's token",
        .covers(.logto, rows: 14)
    )
    func urn() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        let token = try await session.accessToken(for: "urn:logto:organization:acme")
        #expect(try await session.organizationToken(for: "acme") == token)
        #expect(try await session.accessToken(for: "urn:logto:organization:acme", organizationID: "acme") == token)
        #expect(world.count("/token") == 2)
        let error = await thrownError { () throws(SignInError) in
            _ = try await session.accessToken(for: "urn:logto:organization:acme", organizationID: "vault")
        }
        #expect(error?.recovery == .fixConfiguration)
        #expect(LogtoUtilities.buildOrganizationUrn(forId: "acme") == "urn:logto:organization:acme")
        #expect(
            LogtoUtilities.isOrganizationUrn("urn:logto:organization:x") && !LogtoUtilities.isOrganizationUrn("urn:x")
                && !LogtoUtilities.isOrganizationUrn(nil)
        )
    }

    @Test(
        "Every target's token is requested once, cached until a minute before it expires, and restored",
        .covers(.logto, rows: 15)
    )
    func cache() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        func all(_ session: LogtoSession) async throws -> [Secret] {
            [
                try await session.accessToken(), try await session.accessToken(for: LogtoWorld.shopping),
                try await session.organizationToken(for: "acme"),
                try await session.accessToken(for: LogtoWorld.shopping, organizationID: "acme"),
            ]
        }
        let tokens = try await all(session)
        #expect(Set(tokens).count == 4 && world.count("/token") == 4)
        world.clock.advance(by: .seconds(3530))
        #expect(try await all(session) == tokens)
        let config = try world.config(scopes: Self.scopes, resources: [LogtoWorld.shopping])
        let restored = try #require(try await world.logto(config).restoreSession())
        #expect(try await all(restored) == tokens && world.count("/token") == 4)
        world.clock.advance(by: .seconds(11))
        #expect(Set(try await all(session)).isDisjoint(with: tokens) && world.count("/token") == 8)
    }

    @Test("A caller can force a new access token", .covers(.logto, rows: 15))
    func newOne() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        let token = try await session.accessToken(for: LogtoWorld.shopping)
        #expect(try await session.accessToken(for: LogtoWorld.shopping, minimumValidity: .seconds(Int64.max)) != token)
        #expect(world.count("/token") == 3)
    }

    @Test(
        "An API verifies its tokens with OstiaryServer, and rejects those of another target",
        .covers(.logto, rows: 58)
    )
    func backend() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        let keys = try await LogtoCore.fetchJwkSet(
            useSession: world.session,
            jwksUri: world.endpoint + "/oidc/jwks"
        )
        let issuer = try Issuer(world.endpoint + "/oidc")
        let policy = try AccessTokenPolicy(issuer: issuer, audience: LogtoWorld.shopping, requiredScopes: ["read"])
        func accepts(_ token: Secret) -> Bool {
            switch AccessTokenVerifier(policy).verify(token.reveal(), by: keys, now: world.clock.now) {
            case .accepted: true
            default: false
            }
        }
        #expect(accepts(try await session.accessToken(for: LogtoWorld.shopping)))
        #expect(!accepts(try await session.organizationToken(for: "acme")))
        #expect(!accepts(try await session.accessToken()))
    }

    @Test(
        "A second user's sign-in replaces the first user's cached tokens",
        .covers(.logto, rows: 15, cites: "G-19")
    )
    func nextPerson() async throws {
        let world = try LogtoWorld()
        let logto = try world.logto(try world.config(scopes: Self.scopes, resources: [LogtoWorld.shopping]))
        let alice = try await logto.signIn()
        let token = try await alice.accessToken(for: LogtoWorld.shopping)
        let bob = try await world.logto(
            try world.config(scopes: Self.scopes, resources: [LogtoWorld.shopping]),
            userAgent: world.person("bob")
        ).signIn()
        #expect(try await bob.accessToken(for: LogtoWorld.shopping) != token)
        #expect(try await bob.accessTokenClaims(for: LogtoWorld.shopping)?.sub == "user-bob")
        let again = try await logto.signIn()
        #expect(alice.end == .replaced && again.end == nil)
        #expect(
            await thrownError { () throws(SignInError) in _ = try await alice.accessToken(for: LogtoWorld.shopping) }
                == SignInError(.refresh, .signInRequired)
        )
    }

    @Test(
        "An organization that denies the user is reported, and the session is kept",
        .covers(.logto, rows: 14),
        arguments: [
            ("logto-app", "others"), ("logto-app", "vault"), ("logto-third-party", "acme"), ("logto-app", "none"),
        ]
    )
    func closedOrganization(appId: String, id: String) async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world, appId: appId)
        let error = await thrownError { () throws(SignInError) in _ = try await session.organizationToken(for: id) }
        guard case .insufficientOrganizationAccess(let refusal) = error?.logtoFailure else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .accessDenied && error?.endsSession == false && session.end == nil)
        _ = try await session.accessToken(for: LogtoWorld.shopping)
        #expect(
            try await world.store.read(.session(issuer: try Issuer(world.endpoint + "/oidc"), clientID: appId)) != nil
        )
    }

    @Test(
        "A session without the organizations scope is denied an organization token, and is kept",
        .covers(.logto, rows: 14)
    )
    func insufficientScope() async throws {
        let world = try LogtoWorld()
        // The session comes from before the app asked for the scope.
        _ = try await world.logto().signIn()
        let config = try world.config(scopes: [UserScope.organizations.rawValue])
        let session = try #require(try await world.logto(config).restoreSession())
        let error = await thrownError { () throws(SignInError) in _ = try await session.organizationToken(for: "acme") }
        guard case .insufficientOrganizationAccess(let refusal) = error?.logtoFailure else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .insufficientScope && session.end == nil)
    }

    @Test(
        "A missing scope or resource of the configuration is refused before a refresh token is sent",
        .covers(.logto, rows: 13, 14)
    )
    func missingConfiguration() async throws {
        let world = try LogtoWorld()
        let session = try await world.logto().signIn()
        let organization = await thrownError { () throws(SignInError) in
            _ = try await session.organizationToken(for: "acme")
        }
        #expect(
            organization?.logtoFailure
                == .configuration(
                    "Add UserScope.organizations to the scopes: organization tokens need it from the sign-in on."
                )
        )
        let resource = await thrownError { () throws(SignInError) in
            _ = try await session.accessToken(for: LogtoWorld.store)
        }
        #expect(resource?.recovery == .fixConfiguration)
        let empty = await thrownError { () throws(SignInError) in _ = try await session.organizationToken(for: "") }
        #expect(empty?.recovery == .fixConfiguration)
        #expect(world.count("/token") == 1)
    }

    @Test(
        "Calls for different targets at once use each refresh token once",
        .covers(.logto, rows: 33, cites: "G-8")
    )
    func parallel() async throws {
        let world = try LogtoWorld()
        let session = try await signedIn(world)
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for number in 0..<50 {
                group.addTask {
                    switch number % 3 {
                    case 0: try await session.organizationToken(for: "acme")
                    case 1: try await session.accessToken(for: LogtoWorld.shopping)
                    default: try await session.accessToken(for: LogtoWorld.shopping, organizationID: "acme")
                    }
                }
            }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 3 && world.count("/token") == 4 && session.end == nil)
        let used = world.forms("/token").compactMap { $0[.refreshToken] }
        #expect(Set(used).count == 3)
    }

    @Test("A subject token of the management API is exchanged for the user's token", .covers(.logto, rows: 60))
    func exchange() async throws {
        let world = try LogtoWorld()
        let logto = try world.logto(try world.config(scopes: Self.scopes, resources: [LogtoWorld.shopping]))
        let subject = try await world.provider.subjectToken(for: "user-alice", clientID: "logto-app")
        // Logto answers without issued_token_type: the door names the type that it asks for, and means it.
        let plain = try await logto.exchange(subject)
        #expect(plain.issuedTokenType == .accessToken)
        #expect(world.forms("/token").last?[.requestedTokenType] == TokenType.accessToken.rawValue)
        #expect(AccessTokenClaims(plain.accessToken) == nil)
        let tokens = try await logto.exchange(
            subject,
            for: LogtoWorld.shopping,
            organizationID: "acme",
            scopes: ["read"]
        )
        let claims = try #require(AccessTokenClaims(tokens.accessToken))
        #expect(
            claims.audience == [LogtoWorld.shopping] && claims.organizationID == "acme" && claims.sub == "user-alice"
        )
        #expect(claims.scopes == ["read"])
        #expect(world.forms("/token").last?[.subjectTokenType] == "urn:ietf:params:oauth:token-type:access_token")
        let actor = TokenExchangeGrant.Token(subject, .accessToken)
        #expect(
            AccessTokenClaims(try await logto.exchange(subject, actor: actor, organizationID: "acme").accessToken)?
                .organizationID == "acme"
        )
        let closed = await thrownError { () throws(SignInError) in
            _ = try await logto.exchange(subject, organizationID: "others")
        }
        #expect(closed?.stage == .token && closed?.recovery == .retry)
        #expect(try await logto.restoreSession() == nil)
    }
}

@Suite("Logto: a session that is renewed")
struct LogtoRefreshTests {
    @Test(
        "Every refresh sends a new refresh token, and stores its successor first",
        .covers(.logto, rows: 32, 34, cites: "G-21")
    )
    func rotation() async throws {
        let world = try LogtoWorld()
        let session = try await world.logto().signIn()
        for _ in 0..<3 {
            world.clock.advance(by: .seconds(3600))
            _ = try await session.accessToken()
        }
        let used = world.forms("/token").compactMap { $0[.refreshToken] }
        #expect(used.count == 3 && Set(used).count == 3)
        // One value holds all of a session, so nothing can be half written.
        // Each refresh writes a mark before it is sent, and its tokens: the keys of the sign-in serve for a day.
        #expect(world.store.calls(of: .write) == 1 + 3 * 2)
        let restored = try #require(try await world.logto().restoreSession())
        #expect(restored.session.tokens == session.session.tokens)
    }

    @Test(
        "A failed write hands out no token and loses none, and is retried",
        .covers(.logto, rows: 53, cites: "G-21")
    )
    func failedWrite() async throws {
        let world = try LogtoWorld()
        let session = try await world.logto().signIn()
        world.clock.advance(by: .seconds(3600))
        world.store.fail(.write, with: .locked)
        let error = await thrownError { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(error == SignInError(.storage, .storage(.locked)) && error?.logtoFailure == .storageFailed(.locked))
        _ = try await session.accessToken()
        #expect(world.count("/token") == 2)
    }

    @Test(
        "An ID token in a refresh response is checked before it is stored",
        .covers(.logto, rows: 34, cites: "G-6"),
        arguments: [
            (Scenario.refreshInvalidSubject, SignInError.Check.subject), (.refreshInvalidIssuer, .issuer),
            (.refreshInvalidAudience, .audience),
        ] as [(Scenario, SignInError.Check)]
    )
    func refreshedIDToken(_ scenario: Scenario, _ check: SignInError.Check) async throws {
        let world = try LogtoWorld(scenario: scenario)
        let session = try await world.logto().signIn()
        let error = await thrownError { () throws(SignInError) in try await session.session.refresh() }
        #expect(error == SignInError(.identity, .mismatch(check)))
        #expect(session.claims?.sub == "user-alice")
        #expect(try await world.logto().restoreSession()?.claims?.sub == "user-alice")
    }

    @Test(
        "A refresh without an ID token, and without a new refresh token, keeps the old ones",
        .covers(.logto, rows: 34),
        arguments: [Scenario.refreshWithoutIDToken, .noRotation]
    )
    func lessOnRefresh(_ scenario: Scenario) async throws {
        let world = try LogtoWorld(scenario: scenario)
        let session = try await world.logto().signIn()
        for _ in 0..<2 { try await session.session.refresh() }
        #expect(session.claims?.sub == "user-alice" && session.isRefreshable)
    }

    @Test(
        "A refreshed ID token without at_hash and with the first one's nonce is taken",
        .covers(.logto, rows: 29, 34)
    )
    func newestServer() async throws {
        let world = try LogtoWorld(
            scenario: Scenario(name: "newest") { scenario in
                scenario.idToken = { if $0.occasion == .refreshToken { $0.claims["at_hash"] = nil } }
            }
        )
        let session = try await world.logto().signIn()
        #expect(session.claims?.atHash != nil)
        try await session.session.refresh()
        #expect(session.claims?.atHash == nil)
    }

    @Test(
        "A reused refresh token ends the session, and is not sent again",
        .covers(.logto, rows: 32)
    )
    func reuse() async throws {
        let world = try LogtoWorld()
        let session = try await world.logto().signIn()
        world.clock.advance(by: .seconds(3600))
        // The answer is lost after the server used the token up; Logto takes none a second time.
        world.network.lose(to: "/oidc/token", .afterProcessing)
        let error = await thrownError { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(error?.logtoFailure == .sessionExpired && session.end == .lostRotation)
        #expect(try await world.logto().restoreSession() == nil)
        let count = world.count("/token")
        let next = await thrownError { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(next?.logtoFailure == .noRefreshToken && world.count("/token") == count)
    }

    @Test(
        "An error other than invalid_grant keeps the Logto session",
        .covers(.logto, rows: 32),
        arguments: [
            (400, "invalid_scope", nil), (400, "invalid_target", nil),
            (401, "invalid_client", LogtoFailure.clientInvalid),
            (500, "server_error", nil), (400, "invalid_request", nil),
        ] as [(Int, String, LogtoFailure?)]
    )
    func otherErrors(status: Int, code: String, failure: LogtoFailure?) async throws {
        let world = try LogtoWorld()
        let session = try await failing(
            world,
            status: status,
            body: ["error": .string(code), "code": .string("oidc." + code)]
        )
        let error = await thrownError { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(error?.reason == .refused(OAuthError(code: .init(rawValue: code))))
        #expect(error?.logtoFailure == failure ?? .tokenError(OAuthError(code: .init(rawValue: code))))
        #expect(session.end == nil)
        #expect(try await world.logto().restoreSession() != nil)
    }

    @Test(
        "A server that is busy asks for a pause, and one that fails may be asked again",
        .covers(.logto, rows: 32)
    )
    func busy() async throws {
        let world = try LogtoWorld()
        let session = try await failing(world, status: 429, body: nil, retryAfter: "17")
        let error = await thrownError { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(
            error?.logtoFailure == .rateLimited(retryAfter: .seconds(17)) && error?.recovery == .retry
                && session.end == nil
        )
        let down = try await failing(try LogtoWorld(), status: 503, body: nil)
        let failure = await thrownError { () throws(SignInError) in _ = try await down.accessToken() }
        #expect(failure?.logtoFailure == .server(status: 503) && failure?.recovery == .retry && down.end == nil)
    }

    @Test(
        "Errors are read in Logto's new form and in the old one",
        .covers(.logto, rows: 32),
        arguments: [LogtoDialect.ErrorBodies.current, .legacy]
    )
    func errorBodies(_ form: LogtoDialect.ErrorBodies) async throws {
        var dialect = LogtoDialect.development
        dialect.errorBodies = form
        let world = try LogtoWorld(dialect: dialect)
        let config = try world.config(scopes: [UserScope.organizations.rawValue])
        let session = try await world.logto(config).signIn()
        let closed = await thrownError { () throws(SignInError) in
            _ = try await session.organizationToken(for: "others")
        }
        #expect(
            closed?.reason
                == .refused(OAuthError(code: .accessDenied, description: "user is not a member of the organization"))
        )
        world.clock.advance(by: .seconds(15 * 86_400))
        let ended = await thrownError { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(ended?.logtoFailure == .sessionExpired && session.end == .revoked)
    }

    @Test(
        "Error bodies in Logto's form are read from Logto's endpoints alone",
        .covers(.logto, rows: 32)
    )
    func otherBodies() async throws {
        let session = try await failing(
            try LogtoWorld(),
            status: 400,
            body: ["code": "session.not_found", "message": "No session"]
        )
        let error = await thrownError { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(
            error?.reason == .refused(OAuthError(code: .init(rawValue: "session.not_found"), description: "No session"))
        )
        let other = try await failing(try LogtoWorld(), status: 400, body: ["code": 7])
        let failure = await thrownError { () throws(SignInError) in _ = try await other.accessToken() }
        #expect(failure?.reason == .server(status: 400))
    }

    @Test("A sign-out during a refresh ends the session", .covers(.logto, rows: 39, cites: "G-20"))
    func signOutBeatsRefresh() async throws {
        let world = try LogtoWorld()
        _ = try await world.logto().signIn()
        world.clock.advance(by: .seconds(3600))
        let gate = LogtoGate(over: world.network, path: "/oidc/token")
        let logto = try world.logto(transport: gate)
        let session = try #require(try await logto.restoreSession())
        let waiting = Task { await thrownError { () throws(SignInError) in _ = try await session.accessToken() } }
        await gate.arrival()
        try await session.clear()
        gate.open()
        #expect(await waiting.value?.recovery == .signInAgain)
        #expect(try await logto.restoreSession() == nil)
    }

    /// A restored session whose access token is too old and whose tenant answers so at the token endpoint.
    private func failing(
        _ world: LogtoWorld,
        status: Int,
        body: JSONObject?,
        retryAfter: String? = nil
    ) async throws -> LogtoSession {
        _ = try await world.logto().signIn()
        world.clock.advance(by: .seconds(3600))
        let transport = LogtoChangingTransport(next: world.network) { request, response in
            guard request.url.path() == "/oidc/token" else { return }
            response = EndpointResponse(status: .init(code: status), body: body?.encoded() ?? [])
            if body != nil { response.fields[.contentType] = "application/json" }
            response.fields[.retryAfter] = retryAfter
        }
        return try #require(try await world.logto(transport: transport).restoreSession())
    }
}
