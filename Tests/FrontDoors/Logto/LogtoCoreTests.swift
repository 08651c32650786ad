import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("LogtoCore: a sign-in step by step")
struct LogtoCoreTests {
    private static let discovery = "https://tenant.logto.test/oidc/.well-known/openid-configuration"

    @Test("The steps together are a sign-in", .covers(.logto, rows: 1, 3, 4, 5, 13, 14, 32, 38, 39))
    func story() async throws {
        let world = try LogtoWorld()
        let config = try await LogtoCore.fetchOidcConfig(useSession: world.network, uri: Self.discovery)
        #expect(config.issuer == "https://tenant.logto.test/oidc")
        let state = LogtoUtilities.generateState()
        let verifier = LogtoUtilities.generateCodeVerifier()
        let page = try LogtoCore.generateSignInUri(
            authorizationEndpoint: config.authorizationEndpoint,
            clientId: "logto-app",
            redirectUri: LogtoWorld.callback,
            codeChallenge: LogtoUtilities.generateCodeChallenge(codeVerifier: verifier),
            state: state,
            scopes: ["read", UserScope.organizations.rawValue],
            resources: [LogtoWorld.shopping],
            extraParams: ["theme": "dark"]
        )
        let redirect = try await world.person().attempt(awaiting: try RedirectURI(LogtoWorld.callback)).open(
            page,
            accepting: .any
        )
        let code = try LogtoCore.verifyAndParseSignInCallbackUri(
            redirect,
            redirectUri: LogtoWorld.callback,
            state: state
        )
        let tokens = try await LogtoCore.fetchToken(
            useSession: world.network,
            byAuthorizationCode: code,
            codeVerifier: verifier,
            tokenEndpoint: config.tokenEndpoint,
            clientId: "logto-app",
            redirectUri: LogtoWorld.callback
        )
        #expect(tokens.expiresIn == 3600)
        let keys = try await LogtoCore.fetchJwkSet(useSession: world.network, jwksUri: config.jwksUri)
        try LogtoUtilities.verifyIdToken(
            try #require(tokens.idToken?.reveal()),
            issuer: config.issuer,
            clientId: "logto-app",
            jwks: keys,
            forTimeInterval: world.clock.now.timeIntervalSince1970
        )
        let info = try await LogtoCore.fetchUserInfo(
            useSession: world.network,
            userInfoEndpoint: config.userinfoEndpoint,
            accessToken: tokens.accessToken.reveal()
        )
        #expect(info.sub == "user-alice")
        let organization = try await LogtoCore.fetchToken(
            useSession: world.network,
            byRefreshToken: try #require(tokens.refreshToken?.reveal()),
            tokenEndpoint: config.tokenEndpoint,
            clientId: "logto-app",
            resource: "urn:logto:organization:acme",
            scopes: ["read", UserScope.organizations.rawValue]
        )
        #expect(AccessTokenClaims(organization.accessToken)?.organizationID == "acme")
        #expect(
            world.forms("/token").last?["organization_id"] == "acme" && world.forms("/token").last?[.resource] == nil
        )
        let refresh = try #require(organization.refreshToken?.reveal())
        try await LogtoCore.revoke(
            useSession: world.network,
            token: refresh,
            revocationEndpoint: config.revocationEndpoint,
            clientId: "logto-app"
        )
        let error = await logtoError { () throws(SignInError) in
            _ = try await LogtoCore.fetchToken(
                useSession: world.network,
                byRefreshToken: refresh,
                tokenEndpoint: config.tokenEndpoint,
                clientId: "logto-app"
            )
        }
        #expect(error?.logtoFailure == .sessionExpired)
    }

    @Test(
        "The sign-in page's URL keeps a query and takes no parameter twice",
        .covers(.logto, rows: 12, cites: "G-15", "G-18")
    )
    func signInURL() throws {
        func url(_ endpoint: String, _ extra: [String: String]) throws(LogtoErrors.UrlConstruction) -> URL {
            try LogtoCore.generateSignInUri(
                authorizationEndpoint: endpoint,
                clientId: "a",
                redirectUri: LogtoWorld.callback,
                codeChallenge: "c",
                state: "s",
                prompt: .login,
                loginHint: "a+b@c",
                directSignIn: DirectSignInOptions(method: .sso, target: "x"),
                extraParams: extra
            )
        }
        let made = try url("https://t.logto.app/oidc/auth?tenant=one", ["ui_locales": "de fr"])
        let query = try #require(FormURLEncoding.decode(made.query(percentEncoded: true) ?? ""))
        #expect(query["tenant"] == "one" && query[.loginHint] == "a+b@c" && query[.uiLocales] == "de fr")
        #expect(query["direct_sign_in"] == "sso:x" && query[.prompt] == "login")
        #expect(made.absoluteString.contains("a%2Bb%40c"))
        for name in ["state", "client_id", "direct_sign_in", "resource", "nonce", "login_hint"] {
            #expect(throws: LogtoErrors.UrlConstruction.unableToConstructUrl) {
                try url("https://t.logto.app/oidc/auth", [name: "x"])
            }
        }
        for endpoint in ["http://t.logto.app/auth", "auth", "https://t.logto.app/auth#x"] {
            #expect(throws: LogtoErrors.UrlConstruction.invalidEndpoint) { try url(endpoint, [:]) }
        }
    }

    @Test("So does the sign-out page's", .covers(.logto, rows: 40, cites: "G-18"))
    func signOutURL() throws {
        let url = try LogtoCore.generateSignOutUri(
            endSessionEndpoint: "https://t.logto.app/oidc/session/end?tenant=one",
            clientId: "a",
            postLogoutRedirectUri: "io.logto.app://signed-out"
        )
        let query = try #require(FormURLEncoding.decode(url.query(percentEncoded: true) ?? ""))
        #expect(query.names == ["tenant", .clientID, .postLogoutRedirectURI])
    }

    @Test(
        "A redirect is checked in order: place, state, error, code",
        .covers(.logto, rows: 3, 5, cites: "G-1", "G-2", "6.2"),
        arguments: [
            ("io.logto.app://callback-evil?code=c&state=s", LogtoErrors.UriVerification.redirectUriMismatched),
            ("io.logto.app://callback?code=c&state=t", .stateMismatched),
            ("io.logto.app://callback?code=c", .stateMismatched),
            ("io.logto.app://callback?code=c&state=s&state=t", .decodeComponentsFailed),
            ("io.logto.app://callback?error=access_denied&state=t", .stateMismatched),
            ("io.logto.app://callback?error=access_denied&state=s", .errorItemFound(OAuthError(code: .accessDenied))),
            ("io.logto.app://callback?state=s", .missingCode), ("io.logto.app://callback?state=s&code=", .missingCode),
        ] as [(String, LogtoErrors.UriVerification)]
    )
    func callback(_ url: String, _ error: LogtoErrors.UriVerification) {
        #expect(throws: error) {
            try LogtoCore.verifyAndParseSignInCallbackUri(
                URL(string: url)!,
                redirectUri: LogtoWorld.callback,
                state: "s"
            )
        }
    }

    @Test("A plus in a form is a plus at the other end", .covers(.logto, rows: 16, cites: "G-7", "X-1", "6.4.1"))
    func forms() async throws {
        let world = try LogtoWorld()
        _ = await logtoError { () throws(SignInError) in
            _ = try await LogtoCore.fetchToken(
                useSession: world.network,
                byRefreshToken: "a+b/c=d&e f%é",
                tokenEndpoint: "https://tenant.logto.test/oidc/token",
                clientId: "logto-app"
            )
        }
        let body = try #require(world.network.requests.last?.request.body)
        let text = String(decoding: body, as: UTF8.self)
        #expect(
            text.contains("refresh_token=a%2Bb%2Fc%3Dd%26e+f%25%C3%A9")
                || text.contains("a%2Bb%2Fc%3Dd%26e%20f%25%C3%A9")
        )
        #expect(world.forms("/token").last?[.refreshToken] == "a+b/c=d&e f%é")
    }

    @Test(
        "An answer of the token endpoint is read strictly, but for what may be missing",
        .covers(.logto, rows: 16, 32, cites: "G-22", "X-19"),
        arguments: [
            (#"{"access_token": "t", "token_type": "bearer"}"#, true),
            (#"{"access_token": "t", "token_type": "Bearer", "expires_in": "60"}"#, true),
            (#"{"access_token": "", "token_type": "Bearer"}"#, false), (#"{"token_type": "Bearer"}"#, false),
            (#"{"access_token": "t"}"#, false), (#"{"access_token": "t", "token_type": "DPoP"}"#, false),
            (#"{"access_token": "t", "token_type": "Bearer", "token_type": "Bearer"}"#, false), ("<html>", false),
        ]
    )
    func tokenResponse(body: String, isRead: Bool) async throws {
        let transport = LogtoChangingTransport(next: try LogtoWorld().network) { _, response in
            response = EndpointResponse(fields: [.contentType: "application/json"], body: Array(body.utf8))
        }
        var tokens: LogtoCore.TokenResponse?
        let error = await logtoError { () throws(SignInError) in
            tokens = try await LogtoCore.fetchToken(
                useSession: transport,
                byRefreshToken: "r",
                tokenEndpoint: "https://tenant.logto.test/oidc/token",
                clientId: "logto-app"
            )
        }
        #expect(error == (isRead ? nil : SignInError(.refresh, .malformed("the token response"))))
        #expect(tokens?.accessToken == (isRead ? Secret("t") : nil) && tokens?.scope == nil && tokens?.idToken == nil)
        if body.contains("60") { #expect(tokens?.expiresIn == 60) }
    }

    @Test("An answer that is no JSON is none", .covers(.logto, rows: 16))
    func mediaType() async throws {
        let transport = LogtoChangingTransport(next: try LogtoWorld().network) { _, response in
            response.fields[.contentType] = "text/html"
            response.body = Array(#"{"access_token": "t", "token_type": "Bearer"}"#.utf8)
            response.status = .ok
        }
        let error = await logtoError { () throws(SignInError) in
            _ = try await LogtoCore.fetchToken(
                useSession: transport,
                byRefreshToken: "r",
                tokenEndpoint: "https://tenant.logto.test/oidc/token",
                clientId: "logto-app"
            )
        }
        #expect(error == SignInError(.refresh, .malformed("the token response")))
    }

    @Test("Metadata without an endpoint that every tenant has is none", .covers(.logto, rows: 1, cites: "6.2"))
    func missingEndpoint() async throws {
        let world = try LogtoWorld(
            scenario: Scenario(name: "no-end") { $0.metadata = { $0["end_session_endpoint"] = nil } }
        )
        var inner: (any Error)?
        do {
            _ = try await LogtoCore.fetchOidcConfig(useSession: world.network, uri: Self.discovery)
        } catch {
            inner = error.innerError
        }
        #expect(inner as? SignInError == SignInError(.discovery, .malformed("an endpoint is missing")))
    }

    @Test("Metadata and keys that cannot be read are told as that", .covers(.logto, rows: 1, 31, cites: "6.2", "G-14"))
    func unreadable() async throws {
        let world = try LogtoWorld(scenario: .issuerMismatch)
        let metadata = await logtoKind(LogtoClientErrors.OidcConfigErrorType.self) {
            _ = try await LogtoCore.fetchOidcConfig(useSession: world.network, uri: Self.discovery)
        }
        #expect(metadata == .unableToFetchOidcConfig)
        let keys = await logtoKind(LogtoClientErrors.JwkSetErrorType.self) {
            _ = try await LogtoCore.fetchJwkSet(
                useSession: world.network,
                jwksUri: "https://tenant.logto.test/oidc/nothing"
            )
        }
        #expect(keys == .unableToFetchJwkSet)
        let info = await logtoKind(LogtoClientErrors.UserInfoErrorType.self) {
            _ = try await LogtoCore.fetchUserInfo(
                useSession: world.network,
                userInfoEndpoint: "https://tenant.logto.test/oidc/me",
                accessToken: "none"
            )
        }
        #expect(info == .unableToFetchUserInfo)
    }
}

@Suite("LogtoUtilities: an ID token by itself")
struct LogtoUtilitiesTests {
    private static let time: TimeInterval = 1_800_000_000
    private static let issuer = "https://tenant.logto.test/oidc"

    private func verify(
        key: SigningKey = LogtoWorld.key,
        keys: [JSONWebKey] = [LogtoWorld.key.publicKey],
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws {
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": "logto-app", "sub": "s", "iat": .integer(Int(Self.time)),
            "exp": .integer(Int(Self.time) + 3600),
        ]
        change(&claims)
        try LogtoUtilities.verifyIdToken(
            try key.sign(claims: claims, type: "JWT"),
            issuer: Self.issuer,
            clientId: "logto-app",
            jwks: JSONWebKeySet(keys),
            forTimeInterval: Self.time
        )
    }

    @Test("A good one passes, also with several audiences", .covers(.logto, rows: 27, 28, cites: "G-5"))
    func good() throws {
        try verify()
        try verify { $0["aud"] = ["logto-app"] }
        try verify { claims in
            claims["aud"] = ["logto-app", "other"]
            claims["azp"] = "logto-app"
        }
        for key in LogtoKeys.all.values { try verify(key: key, keys: [key.publicKey]) }
    }

    @Test("Any value that is not the one expected is named", .covers(.logto, rows: 27, 28, 30, cites: "6.2", "G-3"))
    func refused() throws {
        let cases: [(LogtoErrors.Verification, (inout JSONObject) -> Void)] = [
            (.jwtValueMismatched(.issuer), { $0["iss"] = "https://other.logto.test/oidc" }),
            (.jwtValueMismatched(.audience), { $0["aud"] = "other" }),
            (.jwtValueMismatched(.authorizedParty), { $0["azp"] = "other" }),
            (.jwtValueMismatched(.authorizedParty), { $0["aud"] = ["logto-app", "other"] }),
            (.jwtExpired, { $0["exp"] = .integer(Int(Self.time) - 60) }), (.jwtExpired, { $0["exp"] = nil }),
            (.jwtIssuedTimeIncorrect, { $0["iat"] = .integer(Int(Self.time) + 61) }),
            (.jwtIssuedTimeIncorrect, { $0["iat"] = .integer(Int(Self.time) - 661) }),
            (.jwtIssuedTimeIncorrect, { $0["iat"] = nil }),
        ]
        for (error, change) in cases { #expect(throws: error) { try verify(change) } }
    }

    @Test("Another key, a key of a kind that signs nothing, and no key", .covers(.logto, rows: 27, cites: "G-4", "6.2"))
    func keys() throws {
        let other = try SigningKey.generate(.es384, keyID: "logto-key")
        #expect(throws: LogtoErrors.Verification.noSigningKeyMatched) { try verify(key: other) }
        #expect(throws: LogtoErrors.Verification.missingJwk) { try verify(keys: []) }
        let edDSA = try SigningKey.generate(.edDSA)
        #expect(throws: LogtoErrors.Verification.unsupportedAlgorithm) {
            try verify(key: edDSA, keys: [edDSA.publicKey])
        }
        let symmetric = try JSONWebKeySet(parsing: Array(#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#.utf8))
        #expect(throws: LogtoErrors.Verification.unsupportedJwkType) {
            try LogtoUtilities.verifyIdToken("a.b.c", issuer: "", clientId: "", jwks: symmetric, forTimeInterval: 0)
        }
        #expect(throws: LogtoErrors.Verification.jwtMissingAlgorithmInHeader) {
            try LogtoUtilities.verifyIdToken(
                "e30.e30.",
                issuer: "",
                clientId: "",
                jwks: JSONWebKeySet([LogtoWorld.key.publicKey]),
                forTimeInterval: 0
            )
        }
    }

    @Test("What has no payload cannot be decoded", .covers(.logto, rows: 15, cites: "6.2", "G-5"))
    func decoding() throws {
        for token in ["opaque", "a.b", "..", "a..c"] {
            #expect(throws: LogtoErrors.Decoding.noPayloadFound) { try LogtoUtilities.decodeIdToken(token) }
        }
        #expect(throws: LogtoErrors.Decoding.invalidUrlSafeBase64Encoding) {
            try LogtoUtilities.decodeAccessToken("a.!!.c")
        }
        let long: JSONObject = ["sub": .string(String(repeating: "x", count: 65_536))]
        let longToken = "e30.\(Base64URL.encode(long.encoded())).c"
        #expect(throws: LogtoErrors.Decoding.noPayloadFound) { try LogtoUtilities.decodeIdToken(longToken) }
        #expect(AccessTokenClaims(Secret(longToken)) == nil)
        // Payloads of every length modulo 4 are read.
        for length in 0..<4 {
            let payload: JSONObject = ["sub": .string(String(repeating: "x", count: length))]
            let token = "e30.\(Base64URL.encode(payload.encoded())).c"
            #expect(try LogtoUtilities.decodeIdToken(token).sub.utf8.count == length)
        }
    }
}

@Suite("LogtoRequest: requests to an app's own APIs")
struct LogtoRequestTests {
    private func answering(_ status: Int, seen: @escaping @Sendable (EndpointRequest) -> Void = { _ in }) throws
        -> LogtoChangingTransport
    {
        LogtoChangingTransport(next: try LogtoWorld().network) { request, response in
            seen(request)
            response = EndpointResponse(status: .init(code: status), body: Array("body".utf8))
        }
    }

    @Test(
        "Only a success is one: a redirect and a cached answer are not",
        .covers(.logto, rows: 38, cites: "6.2", "X-15")
    )
    func statuses() async throws {
        let endpoint = "https://tenant.logto.test/api"
        #expect(
            await LogtoRequest.get(useSession: try answering(200), endpoint: endpoint) == .success(Data("body".utf8))
        )
        #expect(await LogtoRequest.get(useSession: try answering(304), endpoint: endpoint) == .failure(.withCode(304)))
        #expect(await LogtoRequest.get(useSession: try answering(401), endpoint: endpoint) == .failure(.withCode(401)))
        #expect(
            await LogtoRequest.get(useSession: try answering(302), endpoint: endpoint)
                == .failure(.noResponse(.redirectRefused))
        )
    }

    @Test("A token goes to https and to this machine alone", .covers(.logto, rows: 61, cites: "X-15"))
    func insecure() async throws {
        let outcome = await LogtoRequest.get(
            useSession: try answering(200),
            endpoint: "http://api.example.com",
            headers: ["Authorization": "Bearer t"]
        )
        #expect(outcome == .failure(.noResponse(.insecureURL)))
        let nowhere = await LogtoRequest.get(useSession: try answering(200), endpoint: "")
        #expect(nowhere == .failure(.noResponse(.invalidRequest)) || nowhere == .failure(.noResponse(.insecureURL)))
    }

    @Test("A POST has its body and its fields", .covers(.logto, rows: 38))
    func post() async throws {
        let transport = try answering(201) { request in
            #expect(request.method == .post && request.allFields[.contentType] == "application/json")
            #expect(request.allFields[.authorization] == "Bearer t" && request.body == Array("{}".utf8))
        }
        let outcome = await LogtoRequest.post(
            useSession: transport,
            endpoint: "https://tenant.logto.test/api",
            headers: ["Authorization": "Bearer t"],
            body: .init(mediaType: "application/json", bytes: Array("{}".utf8))
        )
        #expect(outcome == .success(Data("body".utf8)))
        #expect(
            await LogtoRequest.load(
                useSession: transport,
                method: .post,
                endpoint: "https://tenant.logto.test/api",
                headers: ["no name": "x"]
            )
                == .failure(.noResponse(.invalidRequest))
        )
    }
}
