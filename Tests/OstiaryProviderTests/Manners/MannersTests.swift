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

/// Each manner at the wire.
@Suite("Manners")
struct MannersTests {
    private static func world(
        _ change: (inout ProviderManners) -> Void,
        scenario: Scenario = .none,
        issuer: String = Fixtures.issuer,
        provider: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World(scenario: scenario, issuer: issuer) {
            $0.manners = ProviderManners(name: "test", change)
            provider(&$0)
        }
    }

    private func metadata(_ world: World) async throws -> JSONObject {
        try #require(await world.get("/.well-known/openid-configuration").json)
    }

    private func idToken(_ tokens: Tokens) throws -> (header: JSONObject, claims: JSONObject) {
        let parts = try #require(tokens.id).split(separator: ".")
        return (
            try JSONObject(parsing: Base64URL.decode(parts[0])), try JSONObject(parsing: Base64URL.decode(parts[1]))
        )
    }

    private func header(_ token: String) throws -> JSONObject {
        try JSONObject(parsing: Base64URL.decode(token.split(separator: ".")[0]))
    }

    // MARK: Issuer and metadata

    @Test(
        "An issuer with a tenant is served below its path, with the path in every endpoint",
        arguments: ["/realms/demo", "/oauth2/default", "/11111111-2222-3333-4444-555555555555/v2.0"]
    )
    func tenant(path: String) async throws {
        let manners = ProviderManners(name: "test") { $0.issuerPath = path }
        let issuer = try manners.issuer(at: Issuer(Fixtures.issuer))
        let world = try World(issuer: issuer.description) { $0.manners = manners }
        let metadata = try #require(await world.get(path + "/.well-known/openid-configuration").json)
        #expect(metadata["issuer"]?.string == Fixtures.issuer + path)
        #expect(metadata["token_endpoint"]?.string == Fixtures.issuer + path + "/token")
    }

    @Test("An issuer that ends with a slash keeps it, and no endpoint has two")
    func slash() async throws {
        let issuer = try ProviderManners.auth0.issuer(at: Issuer(Fixtures.issuer))
        let world = try World(issuer: issuer.description) { $0.manners = .auth0 }
        let metadata = try await metadata(world)
        #expect(metadata["issuer"]?.string == Fixtures.issuer + "/")
        #expect(metadata["token_endpoint"]?.string == Fixtures.issuer + "/token")
    }

    @Test("Absent endpoints answer 404, and the metadata does not name them")
    func absentEndpoints() async throws {
        let world = try Self.world { $0.absentEndpoints = [.userInfo, .revocation, .endSession, .authorizationServer] }
        let names = Set(try await metadata(world).names)
        #expect(names.isDisjoint(with: ["userinfo_endpoint", "revocation_endpoint", "end_session_endpoint"]))
        #expect(await world.get("/userinfo").status == .notFound)
        #expect(await world.get("/.well-known/oauth-authorization-server").status == .notFound)
        #expect(await world.post("/revoke", Parameters()).status == .notFound)
    }

    @Test("Absent metadata members are left out")
    func absentMetadata() async throws {
        let world = try Self.world { $0.absentMetadata = ["claims_supported"] }
        #expect(try await metadata(world)["claims_supported"] == nil)
        #expect(try await self.metadata(World())["claims_supported"] != nil)
    }

    @Test("Without RFC 9207 neither a code nor an error comes with iss, and the metadata is silent")
    func responseIssuer() async throws {
        let world = try Self.world { $0.responseIssuer = .absent }
        #expect(try await metadata(world)["authorization_response_iss_parameter_supported"] == nil)
        let answer = try await world.browser().signIn()
        #expect(answer.redirect?.parameters[.code] != nil && answer.redirect?.parameters[.issuer] == nil)
        let error = await world.browser().authorize(.authorization { $0[.prompt] = "none" })
        #expect(error.redirectError == "login_required" && error.redirect?.parameters[.issuer] == nil)
    }

    @Test("Metadata and keys can be read by pages, by none where nothing is open")
    func crossOrigin() async throws {
        let strict = try World()
        let closed = try Self.world { $0.crossOrigin = .nothing }
        for path in ["/jwks", "/.well-known/openid-configuration"] {
            #expect(await strict.get(path).fields[.accessControlAllowOrigin] == "*")
            #expect(await closed.get(path).fields[.accessControlAllowOrigin] == nil)
        }
    }

    @Test("A token request with Origin is rejected where pages get no tokens, and the code stays valid")
    func originAtToken() async throws {
        let world = try Self.world { $0.crossOrigin = .documentsAndNoTokens }
        let origin = try #require(HTTPField.Name("Origin"))
        let form = Parameters.codeGrant(try await world.code())
        #expect(
            await world.post("/token", form, fields: [origin: "https://app.example.com"]).error == "invalid_request"
        )
        #expect(await world.post("/token", form).status == .ok)
    }

    // MARK: Authorization

    @Test("A provider without offline_access rejects it and does not list it")
    func unknownOfflineAccess() async throws {
        let world = try Self.world { $0.offlineAccess = .unknown }
        #expect(await world.browser().authorize().redirectError == "invalid_scope")
        #expect(try await metadata(world)["scopes_supported"]?.array?.contains("offline_access") == false)
    }

    @Test("A refresh token is issued under the manners' condition")
    func refreshTokenCondition() async throws {
        let plain = Parameters.authorization { $0[.scope] = "openid profile" }
        let always = try Self.world { $0.refreshTokenCondition = .always }
        #expect(try await always.tokens(plain).refresh != nil)
        let accessType = try Self.world { $0.refreshTokenCondition = .accessType }
        #expect(try await accessType.tokens(.authorization()).refresh == nil)
        #expect(try await accessType.tokens(.authorization { $0["access_type"] = "offline" }).refresh != nil)
        let confidential = try Self.world { $0.refreshTokenCondition = .confidentialClient }
        #expect(try await confidential.tokens().refresh == nil)
    }

    @Test("An audience parameter names the resource of the access token, and resource is ignored")
    func audience() async throws {
        let api = "https://api.example.com"
        let world = try Self.world {
            $0.audienceParameter = .audience
            $0.accessTokens = .opaqueWithoutAudience
        } provider: {
            $0.resources = [ProviderResource(identifier: api, name: "API")]
        }
        let named = try await world.tokens(.authorization { $0[.audience] = api })
        #expect(try await world.verifiedClaims(named.access)["aud"]?.string == api)
        #expect(await world.userInfo(named.access).status == .ok)
        let refreshed = try Tokens(await world.refresh(try #require(named.refresh)))
        #expect(try await world.verifiedClaims(refreshed.access)["aud"]?.string == api)
        let ignored = try await world.tokens(.authorization { $0[.resource] = api })
        #expect(!ignored.access.contains("."))
    }

    @Test("A scope that needs form_post is rejected without it, and with it the response is a form")
    func formPost() async throws {
        let world = try Self.world { $0.formPostScopes = [.email] }
        #expect(try await metadata(world)["response_modes_supported"]?.array == ["query", "form_post"])
        let email = Parameters.authorization { $0[.scope] = "openid email" }
        #expect(await world.browser().authorize(email).redirectError == "invalid_request")
        let posted = Parameters.authorization {
            $0[.scope] = "openid email"
            $0[.responseMode] = "form_post"
        }
        let response = try await world.browser().signIn(posted)
        guard case .answer(let page) = response.page else {
            Issue.record("There is no form: \(response)")
            return
        }
        #expect(page.form.action == Fixtures.redirectURI)
        let fields = Dictionary(uniqueKeysWithValues: page.form.hiddenFields.map { ($0.name, $0.value) })
        #expect(fields["state"] == "the state" && fields["iss"] == Fixtures.issuer)
        let html = String(decoding: world.provider.body(of: response), as: UTF8.self)
        #expect(
            html.contains("<form method=\"post\" action=\"\(Fixtures.redirectURI)\">") && html.contains("the state")
        )
        #expect(await world.post("/token", .codeGrant(try #require(fields["code"]))).status == .ok)
        // Without such scopes the query is enough, and the strict provider has no other mode.
        #expect(try await world.browser().signIn().redirect?.parameters[.code] != nil)
        #expect(try await World().browser().authorize(posted).redirectError == "invalid_request")
    }

    // MARK: Client authentication

    private func assertion(_ audience: String, _ world: World, id: String) throws -> Parameters {
        let key = try #require(Fixtures.signerKeys.first)
        let now = Int(world.clock.now.timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": "signer", "sub": "signer", "aud": .string(audience), "iat": .integer(now), "exp": .integer(now + 60),
            "jti": .string(id),
        ]
        return Parameters([
            .grantType: "authorization_code", .code: "unknown", .redirectURI: "https://app.example.com/callback",
            .codeVerifier: Fixtures.verifier,
            .clientAssertionType: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            .clientAssertion: try key.sign(claims: claims, type: "JWT"),
        ])
    }

    @Test("A client assertion must be for the token endpoint where the manners say so")
    func assertionAudience() async throws {
        let endpoint = Fixtures.issuer + "/token"
        for (audience, other, world) in [
            (endpoint, Fixtures.issuer, try Self.world { $0.clientAssertionAudience = .tokenEndpoint }),
            (Fixtures.issuer, endpoint, try World()),
        ] {
            #expect(await world.post("/token", try assertion(audience, world, id: "1")).error == "invalid_grant")
            #expect(await world.post("/token", try assertion(other, world, id: "2")).error == "invalid_client")
        }
    }

    @Test("A secret that a client signs is accepted until it expires, and any other is rejected")
    func signedSecret() async throws {
        let key = try SigningKey.generate(.es256)
        let world = try Self.world {
            $0.clientSecrets = .signed
        } provider: {
            $0.clients[3].authenticationMethod = .signedSecret(keys: JSONWebKeySet([key.publicKey]), developer: "TEAM")
        }
        let methods = try await metadata(world)["token_endpoint_auth_methods_supported"]?.array
        #expect(methods == ["client_secret_post"])
        let now = Int(world.clock.now.timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": "TEAM", "sub": "poster", "aud": .string(Fixtures.issuer), "iat": .integer(now),
            "exp": .integer(now + 15_777_000),
        ]
        func answer(_ signer: SigningKey = key, _ change: (inout JSONObject) -> Void = { _ in }) async throws -> String?
        {
            var changed = claims
            change(&changed)
            let form = Parameters([
                .grantType: "authorization_code", .code: "unknown", .clientID: "poster",
                .redirectURI: "https://app.example.com/callback", .codeVerifier: Fixtures.verifier,
                .clientSecret: try signer.sign(claims: changed, type: nil),
            ])
            return await world.post("/token", form).error
        }
        #expect(try await answer() == "invalid_grant")
        #expect(try await answer() == "invalid_grant", "A secret is used more than once.")
        #expect(try await answer(SigningKey.generate(.es256)) == "invalid_client")
        #expect(try await answer { $0["iss"] = "OTHER" } == "invalid_client")
        #expect(try await answer { $0["sub"] = "app" } == "invalid_client")
        #expect(try await answer { $0["aud"] = "https://appleid.apple.com" } == "invalid_client")
        #expect(try await answer { $0["exp"] = .integer(now + 15_777_001) } == "invalid_client")
        #expect(try await answer { $0["iat"] = .integer(now + 60) } == "invalid_client")
        #expect(try await answer { $0["exp"] = .integer(now) } == "invalid_client")
    }

    // MARK: Token responses

    @Test("The lifetime is a string and the type is in lower case where the manners say so")
    func tokenResponse() async throws {
        let world = try Self.world {
            $0.expiresIn = .text
            $0.tokenType = "bearer"
        }
        let response = try await world.tokens().response
        #expect(response["expires_in"] == "900" && response["token_type"] == "bearer")
    }

    @Test("A grace period of the manners accepts a refresh token again until it is over")
    func grace() async throws {
        let world = try Self.world { $0.refreshTokens = .once(grace: .seconds(30)) }
        let refresh = try #require(try await world.tokens().refresh)
        #expect(await world.refresh(refresh).status == .ok)
        world.clock.advance(by: .seconds(29))
        let second = try Tokens(await world.refresh(refresh))
        world.clock.advance(by: .seconds(2))
        #expect(await world.refresh(refresh).error == "invalid_grant")
        #expect(await world.refresh(try #require(second.refresh)).error == "invalid_grant")
    }

    @Test("Manners without a grace period ignore the configured one")
    func noGrace() async throws {
        let world = try Self.world {
            $0.refreshTokens = .once(grace: .zero)
        } provider: {
            $0.lifetimes.refreshTokenReuse = .seconds(60)
        }
        let refresh = try #require(try await world.tokens().refresh)
        _ = await world.refresh(refresh)
        #expect(await world.refresh(refresh).error == "invalid_grant")
    }

    @Test("Renewed refresh tokens differ, and each of them stays valid")
    func renewed() async throws {
        let world = try Self.world { $0.refreshTokens = .renewed }
        let first = try #require(try await world.tokens().refresh)
        let second = try #require(try Tokens(await world.refresh(first)).refresh)
        #expect(second != first)
        for token in [first, second, first] { #expect(await world.refresh(token).status == .ok) }
    }

    @Test("A refresh repeats the refresh token or returns none, and the old one stays valid")
    func unchanged() async throws {
        let repeating = try Self.world { $0.refreshTokens = .repeated }
        let token = try #require(try await repeating.tokens().refresh)
        for _ in 0..<2 { #expect(try Tokens(await repeating.refresh(token)).refresh == token) }
        let keeping = try Self.world { $0.refreshTokens = .kept }
        let other = try #require(try await keeping.tokens().refresh)
        for _ in 0..<2 { #expect(try Tokens(await keeping.refresh(other)).refresh == nil) }
    }

    @Test("A refresh brings no ID token where the manners say so")
    func idTokenAtRefresh() async throws {
        let world = try Self.world { $0.idTokenAtRefresh = .absent }
        let first = try await world.tokens()
        #expect(first.id != nil)
        #expect(try Tokens(await world.refresh(try #require(first.refresh))).id == nil)
    }

    @Test("A token exchange does not name the type of its token where the manners say so")
    func issuedTokenType() async throws {
        let world = try Self.world { $0.issuedTokenType = .absent }
        let form = Parameters([
            .grantType: "urn:ietf:params:oauth:grant-type:token-exchange", .clientID: "service",
            .clientSecret: "served", .subjectToken: try await world.tokens().access,
            .subjectTokenType: ExchangeTests.accessToken,
        ])
        let response = try Tokens(await world.post("/token", form)).response
        #expect(response["issued_token_type"] == nil)
    }

    // MARK: Access tokens

    @Test("An opaque access token opens user info, and introspection describes it")
    func opaque() async throws {
        let world = try Self.world {
            $0.accessTokens = .opaque
        } provider: {
            $0.clients[5].mayIntrospect = true
        }
        let token = try await world.tokens().access
        #expect(!token.contains("."))
        #expect(await world.userInfo(token).status == .ok)
        let form = Parameters([.clientID: "service", .clientSecret: "served", .token: token])
        let answer = try #require(await world.post("/introspect", form).json)
        #expect(answer["active"] == true && answer["client_id"] == "app" && answer["sub"] == "subject-of-alice")
    }

    @Test("An access token lacks the claims and has the typ that the manners name, and introspection knows the rest")
    func accessTokenClaims() async throws {
        let world = try Self.world {
            $0.absentAccessTokenClaims = ["client_id", "auth_time"]
            $0.accessTokenHeaderType = "JWT"
        } provider: {
            $0.clients[5].mayIntrospect = true
        }
        let token = try await world.tokens().access
        let claims = try await world.verifiedClaims(token)
        #expect(claims["client_id"] == nil && claims["auth_time"] == nil && claims["sub"] != nil)
        #expect(try header(token)["typ"] == "JWT")
        let form = Parameters([.clientID: "service", .clientSecret: "served", .token: token])
        #expect(await world.post("/introspect", form).json?["client_id"] == "app")
        let other = try Self.world { $0.accessTokenHeaderType = nil }
        #expect(try header(try await other.tokens().access)["typ"] == nil)
    }

    // MARK: ID tokens and keys

    @Test("The auth_time of the session moves when the user authenticates for another client")
    func sessionTime() async throws {
        for (isOfSession, world) in [
            (true, try Self.world { $0.authenticationTime = .ofSession }), (false, try World()),
        ] {
            let browser = world.browser()
            let first = try await world.tokens(in: browser)
            let time = try #require(try idToken(first).claims["auth_time"]?.integer)
            world.clock.advance(by: .seconds(600))
            _ = try await world.tokens(.authorization { $0[.prompt] = "login" }, in: browser)
            let refreshed = try Tokens(await world.refresh(try #require(first.refresh)))
            #expect(try idToken(refreshed).claims["auth_time"]?.integer == (isOfSession ? time + 600 : time))
        }
    }

    @Test("The auth_time comes only with max_age where the manners say so, also after a refresh")
    func requestedTime() async throws {
        let world = try Self.world { $0.authenticationTime = .onRequest }
        #expect(try idToken(try await world.tokens()).claims["auth_time"] == nil)
        let asked = try await world.tokens(.authorization { $0[.maxAge] = "600" })
        #expect(try idToken(asked).claims["auth_time"] != nil)
        let refreshed = try Tokens(await world.refresh(try #require(asked.refresh)))
        #expect(try idToken(refreshed).claims["auth_time"] != nil)
    }

    @Test("A refreshed ID token repeats the nonce of its sign-in where the manners say so")
    func nonce() async throws {
        let world = try Self.world { $0.nonceAtRefresh = .present }
        var refresh = try #require(try await world.tokens().refresh)
        for _ in 0..<2 {
            let refreshed = try Tokens(await world.refresh(refresh))
            #expect(try idToken(refreshed).claims["nonce"] == "the-nonce")
            refresh = try #require(refreshed.refresh)
        }
    }

    @Test("An ID token lacks at_hash and kid where the manners say so, and verifies")
    func lackingIDToken() async throws {
        let world = try Self.world {
            $0.accessTokenHash = .absent
            $0.keyID = .absent
        }
        let tokens = try await world.tokens()
        let (header, claims) = try idToken(tokens)
        #expect(claims["at_hash"] == nil && header["kid"] == nil)
        #expect(try await world.verifiedClaims(try #require(tokens.id))["sub"] == "subject-of-alice")
    }

    @Test("User claims stand in the ID token, with strings for Booleans, where the manners say so")
    func userClaims() async throws {
        let world = try Self.world {
            $0.userClaimsInIDToken = .present
            $0.textualClaims = ["email_verified"]
        }
        let tokens = try await world.tokens(.authorization { $0[.scope] = "openid email" })
        let claims = try idToken(tokens).claims
        #expect(claims["email"] == "alice@example.com" && claims["email_verified"] == "true")
        #expect(claims["name"] == nil, "Only what the scopes open.")
        #expect(await world.userInfo(tokens.access).json?["email_verified"] == "true")
    }

    @Test("After a key rotation a refreshed ID token names the first key where the manners say so")
    func firstKeyID() async throws {
        for (isFirst, world) in [
            (true, try Self.world { $0.keyIDAtRefresh = .ofFirstIDToken }), (false, try World()),
        ] {
            let first = try await world.tokens()
            let keyID = try idToken(first).header["kid"]
            var refresh = try #require(first.refresh)
            try await world.provider.rotateSigningKeys()
            for _ in 0..<2 {
                let refreshed = try Tokens(await world.refresh(refresh))
                #expect((try idToken(refreshed).header["kid"] == keyID) == isFirst)
                refresh = try #require(refreshed.refresh)
            }
        }
    }

    @Test("Keys lack the members that the manners name")
    func keyMembers() async throws {
        let world = try Self.world { $0.absentKeyMembers = ["alg", "use"] }
        let keys = try #require(await world.get("/jwks").json?["keys"]?.array?.compactMap(\.object))
        #expect(!keys.isEmpty && keys.allSatisfy { $0["alg"] == nil && $0["use"] == nil && $0["kid"] != nil })
    }

    // MARK: Errors, revocation and the end of a session

    @Test(
        "An error body has the members of the manners",
        arguments: [
            (ProviderManners.ErrorBody.standard, ["error", "error_description"]), (.withoutDescription, ["error"]),
            (
                .traced,
                ["correlation_id", "error", "error_codes", "error_description", "timestamp", "trace_id"]
            ), (.coded, ["code", "error", "error_description", "message"]),
        ]
    )
    func errorBody(_ body: ProviderManners.ErrorBody, names: [String]) async throws {
        let world = try Self.world { $0.errorBody = body }
        let response = await world.refresh("unknown")
        #expect(response.status == .badRequest && response.error == "invalid_grant")
        #expect(response.json?.names.sorted() == names)
    }

    @Test("A refusal of user info has a challenge, a body or both")
    func userInfoRefusal() async throws {
        func refusal(_ kind: ProviderManners.UserInfoRefusal) async throws -> (challenge: String?, error: String?) {
            let response = await (try Self.world { $0.userInfoRefusal = kind }).userInfo("unknown")
            #expect(response.status == .unauthorized)
            return (response.fields[.wwwAuthenticate], response.error)
        }
        let plain = try await refusal(.challenge)
        #expect(plain.challenge?.contains("error=\"invalid_token\"") == true && plain.error == nil)
        let both = try await refusal(.challengeAndBody)
        #expect(both.challenge == plain.challenge && both.error == "invalid_token")
        let body = try await refusal(.body)
        #expect(body.challenge == nil && body.error == "invalid_token")
        let other = try await refusal(.other(code: "request_unauthorized"))
        #expect(other.challenge?.contains("error=\"request_unauthorized\"") == true)
        #expect(other.error == "request_unauthorized")
    }

    @Test("The revocation of an access token has the manners' effect")
    func accessTokenRevocation() async throws {
        struct Outcome: Equatable {
            var error: String?
            var isTokenGood: Bool
            var isGrantGood: Bool
        }
        func outcome(_ kind: ProviderManners.AccessTokenRevocation) async throws -> Outcome {
            let world = try Self.world { $0.accessTokenRevocation = kind }
            let tokens = try await world.tokens()
            let response = await world.post("/revoke", Parameters([.token: tokens.access, .clientID: "app"]))
            let isTokenGood = await world.userInfo(tokens.access).status == .ok
            let isGrantGood = await world.refresh(try #require(tokens.refresh)).status == .ok
            return Outcome(error: response.error, isTokenGood: isTokenGood, isGrantGood: isGrantGood)
        }
        #expect(try await outcome(.endsToken) == Outcome(isTokenGood: false, isGrantGood: true))
        #expect(try await outcome(.endsGrant) == Outcome(isTokenGood: false, isGrantGood: false))
        #expect(try await outcome(.ignored) == Outcome(isTokenGood: true, isGrantGood: true))
        let unsupported = Outcome(error: "unsupported_token_type", isTokenGood: true, isGrantGood: true)
        #expect(try await outcome(.unsupported) == unsupported)
    }

    @Test("A public client cannot revoke where the manners say so, and its tokens stay")
    func publicRevocation() async throws {
        let world = try Self.world { $0.publicClientRevocation = .refused }
        let refresh = try #require(try await world.tokens().refresh)
        let response = await world.post("/revoke", Parameters([.token: refresh, .clientID: "app"]))
        #expect(response.status == .unauthorized && world.provider.body(of: response).isEmpty)
        #expect(await world.refresh(refresh).status == .ok)
    }

    @Test("A sign-out asks the user, needs the hint or takes a logout_uri, as the manners say")
    func endSession() async throws {
        let bye = "https://app.example.com/bye"
        func end(
            _ kind: ProviderManners.EndSession,
            _ parameters: (String) -> Parameters
        ) async throws -> ProviderResponse {
            let world = try Self.world { $0.endSession = kind }
            let browser = world.browser()
            let idToken = try #require(try await world.tokens(in: browser).id)
            return await browser.send(.get, "/end-session", parameters(idToken))
        }
        func standard(_ hint: String?) -> Parameters {
            var parameters = Parameters([.clientID: "app", .postLogoutRedirectURI: bye, .state: "s"])
            parameters[.idTokenHint] = hint
            return parameters
        }
        #expect(try await end(.standard) { standard($0) }.redirect?.place == bye)
        #expect(try await end(.asksUser) { standard($0) }.signOutPage != nil)
        #expect(
            try await end(.requiresIDTokenHint) { _ in standard(nil) }.errorSentence == "The id_token_hint is missing."
        )
        #expect(try await end(.requiresIDTokenHint) { standard($0) }.redirect?.place == bye)
        #expect(try await end(.logoutURI) { standard($0) }.errorSentence == "The logout_uri is missing.")
        let page = try await end(.logoutURI) { _ in Parameters([.clientID: "app", "logout_uri": bye, .state: "s"]) }
        #expect(page.signOutPage != nil)
        let hinted = try await end(.logoutURI) {
            Parameters([.clientID: "app", "logout_uri": bye, .idTokenHint: $0, .state: "s"])
        }
        #expect(hinted.redirect?.place == bye && hinted.redirect?.parameters[.state] == nil)
        #expect(
            try await end(.logoutURI) { _ in Parameters(["logout_uri": bye]) }.errorSentence
                == "The client_id is missing."
        )
    }

    // MARK: With scenarios

    @Test("A scenario applies on top of the manners, and may change them")
    func scenario() async throws {
        let world = try Self.world({ $0.nonceAtRefresh = .present }, scenario: .refreshUnexpectedNonce)
        let refreshed = try Tokens(await world.refresh(try #require(try await world.tokens().refresh)))
        #expect(try idToken(refreshed).claims["nonce"] == "never-sent")
        let changed = try Self.world({ $0.refreshTokens = .renewed }, scenario: .noRotation)
        #expect(changed.provider.manners.refreshTokens == .kept)
        #expect(try Tokens(await changed.refresh(try #require(try await changed.tokens().refresh))).refresh == nil)
    }
}
