import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("LogtoCore: a sign-in step by step")
struct LogtoCoreTests {
    private static let discovery = URL(string: "https://tenant.logto.test/oidc/.well-known/openid-configuration")!

    @Test(
        "LogtoCore's steps make a sign-in, an organization token, a refresh and a revocation",
        .covers(.logto, rows: 1, 3, 4, 5, 13, 14, 32, 38, 39)
    )
    func story() async throws {
        let world = try LogtoWorld()
        let config = try await LogtoCore.fetchOidcConfig(useSession: world.session, uri: Self.discovery)
        #expect(config.issuer == "https://tenant.logto.test/oidc")
        let state = LogtoUtilities.generateState()
        let verifier = LogtoUtilities.generateCodeVerifier()
        let page = try LogtoCore.generateSignInUri(
            authorizationEndpoint: config.authorizationEndpoint,
            clientId: "logto-app",
            redirectUri: LogtoWorld.callbackURL,
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
            redirectUri: LogtoWorld.callbackURL,
            state: state
        )
        let tokens = try await LogtoCore.fetchToken(
            useSession: world.session,
            byAuthorizationCode: code,
            codeVerifier: verifier,
            tokenEndpoint: config.tokenEndpoint,
            clientId: "logto-app",
            redirectUri: LogtoWorld.callback
        )
        #expect(tokens.expiresIn == 3600)
        let keys = try await LogtoCore.fetchJwkSet(useSession: world.session, jwksUri: config.jwksUri)
        try LogtoUtilities.verifyIdToken(
            try #require(tokens.idToken?.reveal()),
            issuer: config.issuer,
            clientId: "logto-app",
            jwks: keys,
            forTimeInterval: world.clock.now.timeIntervalSince1970
        )
        let info = try await LogtoCore.fetchUserInfo(
            useSession: world.session,
            userInfoEndpoint: config.userinfoEndpoint,
            accessToken: tokens.accessToken.reveal()
        )
        #expect(info.sub == "user-alice")
        let organization = try await LogtoCore.fetchToken(
            useSession: world.session,
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
            useSession: world.session,
            token: refresh,
            revocationEndpoint: config.revocationEndpoint,
            clientId: "logto-app"
        )
        let error = await thrownError { () throws(SignInError) in
            _ = try await LogtoCore.fetchToken(
                useSession: world.session,
                byRefreshToken: refresh,
                tokenEndpoint: config.tokenEndpoint,
                clientId: "logto-app"
            )
        }
        #expect(error?.logtoFailure == .sessionExpired)
    }

    @Test(
        "The sign-in URL keeps the endpoint's query, and refuses a repeated parameter",
        .covers(.logto, rows: 12, cites: "G-15", "G-18")
    )
    func signInURL() throws {
        func url(_ endpoint: String, _ extra: [String: String]) throws(LogtoErrors.UrlConstruction) -> URL {
            try LogtoCore.generateSignInUri(
                authorizationEndpoint: endpoint,
                clientId: "a",
                redirectUri: LogtoWorld.callbackURL,
                codeChallenge: "c",
                state: "s",
                prompt: .login,
                loginHint: "a+b@c",
                directSignIn: LogtoCore.DirectSignInOptions(method: .sso, target: "x"),
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

    @Test("The sign-out URL keeps the endpoint's query", .covers(.logto, rows: 40, cites: "G-18"))
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
        "LogtoCore checks a redirect in the order redirect URI, state, error, code",
        .covers(.logto, rows: 3, 5, cites: "G-1", "G-2"),
        arguments: [
            ("io.logto.app://callback-evil?code=c&state=s", LogtoErrors.UriVerification.redirectUriMismatched),
            ("io.logto.app://callback?code=c&state=t", .stateMismatched),
            ("io.logto.app://callback?code=c", .stateMismatched),
            ("io.logto.app://callback?code=c&state=s&state=t", .decodeComponentsFailed),
            ("io.logto.app://callback?error=access_denied&state=t", .stateMismatched),
            (
                "io.logto.app://callback?error=access_denied&state=s",
                .errorItemFound(items: [URLQueryItem(name: "error", value: "access_denied")])
            ),
            ("io.logto.app://callback?state=s", .missingCode), ("io.logto.app://callback?state=s&code=", .missingCode),
        ] as [(String, LogtoErrors.UriVerification)]
    )
    func callback(_ url: String, _ error: LogtoErrors.UriVerification) {
        #expect(throws: error) {
            try LogtoCore.verifyAndParseSignInCallbackUri(
                URL(string: url)!,
                redirectUri: LogtoWorld.callbackURL,
                state: "s"
            )
        }
    }

    @Test(
        "A plus sign in a token request's form arrives as a plus sign",
        .covers(.logto, rows: 16, cites: "G-7")
    )
    func forms() async throws {
        let world = try LogtoWorld()
        _ = await thrownError { () throws(SignInError) in
            _ = try await LogtoCore.fetchToken(
                useSession: world.session,
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
        "A token response with a member of another type is malformed, and optional members may be absent",
        .covers(.logto, rows: 16, 32, cites: "G-22"),
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
        let error = await thrownError { () throws(SignInError) in
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

    @Test("A token response with another media type than JSON is malformed", .covers(.logto, rows: 16))
    func mediaType() async throws {
        let transport = LogtoChangingTransport(next: try LogtoWorld().network) { _, response in
            response.fields[.contentType] = "text/html"
            response.body = Array(#"{"access_token": "t", "token_type": "Bearer"}"#.utf8)
            response.status = .ok
        }
        let error = await thrownError { () throws(SignInError) in
            _ = try await LogtoCore.fetchToken(
                useSession: transport,
                byRefreshToken: "r",
                tokenEndpoint: "https://tenant.logto.test/oidc/token",
                clientId: "logto-app"
            )
        }
        #expect(error == SignInError(.refresh, .malformed("the token response")))
    }

    @Test("Metadata without the end-session endpoint is malformed", .covers(.logto, rows: 1))
    func missingEndpoint() async throws {
        let world = try LogtoWorld(
            scenario: Scenario(name: "no-end") { $0.metadata = { $0["end_session_endpoint"] = nil } }
        )
        var inner: (any Error)?
        do {
            _ = try await LogtoCore.fetchOidcConfig(useSession: world.session, uri: Self.discovery)
        } catch {
            inner = error.innerError
        }
        #expect(inner as? SignInError == SignInError(.discovery, .malformed("an endpoint is missing")))
    }

    @Test(
        "Unreadable metadata, keys and user info map to their LogtoClient errors",
        .covers(.logto, rows: 1, 31, cites: "G-14")
    )
    func unreadable() async throws {
        let world = try LogtoWorld(scenario: .issuerMismatch)
        let metadata = await logtoKind(LogtoClientErrorTypes.OidcConfig.self) {
            _ = try await LogtoCore.fetchOidcConfig(useSession: world.session, uri: Self.discovery)
        }
        #expect(metadata == .unableToFetchOidcConfig)
        let keys = await logtoKind(LogtoClientErrorTypes.JwkSet.self) {
            _ = try await LogtoCore.fetchJwkSet(
                useSession: world.session,
                jwksUri: "https://tenant.logto.test/oidc/nothing"
            )
        }
        #expect(keys == .unableToFetchJwkSet)
        let info = await logtoKind(LogtoClientErrorTypes.UserInfo.self) {
            _ = try await LogtoCore.fetchUserInfo(
                useSession: world.session,
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

    @Test(
        "A valid ID token passes verification, also with several audiences",
        .covers(.logto, rows: 27, 28, cites: "G-5")
    )
    func good() throws {
        try verify()
        try verify { $0["aud"] = ["logto-app"] }
        try verify { claims in
            claims["aud"] = ["logto-app", "other"]
            claims["azp"] = "logto-app"
        }
        for key in LogtoKeys.all.values { try verify(key: key, keys: [key.publicKey]) }
    }

    @Test(
        "An ID token with another claim value fails verification with the claim's name",
        .covers(.logto, rows: 27, 28, 30, cites: "G-3")
    )
    func refused() throws {
        let cases: [(LogtoErrors.Verification, (inout JSONObject) -> Void)] = [
            (.jwtValueMismatched(field: .issuer), { $0["iss"] = "https://other.logto.test/oidc" }),
            (.jwtValueMismatched(field: .audience), { $0["aud"] = "other" }),
            (.jwtValueMismatched(field: .authorizedParty), { $0["azp"] = "other" }),
            (.jwtValueMismatched(field: .authorizedParty), { $0["aud"] = ["logto-app", "other"] }),
            (.jwtExpired, { $0["exp"] = .integer(Int(Self.time) - 60) }), (.jwtExpired, { $0["exp"] = nil }),
            (.jwtIssuedTimeIncorrect, { $0["iat"] = .integer(Int(Self.time) + 61) }),
            (.jwtIssuedTimeIncorrect, { $0["iat"] = .integer(Int(Self.time) - 661) }),
            (.jwtIssuedTimeIncorrect, { $0["iat"] = nil }),
        ]
        for (error, change) in cases { #expect(throws: error) { try verify(change) } }
    }

    @Test(
        "An ID token fails verification with another key, a symmetric key or no key",
        .covers(.logto, rows: 27, cites: "G-4")
    )
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

    @Test("A token without a payload cannot be decoded", .covers(.logto, rows: 15, cites: "G-5"))
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
    private static let endpoint = "https://tenant.logto.test/api"

    private struct Order: Codable, Equatable {
        let orderId: Int
        let isPaid: Bool
    }

    private func answering(
        _ status: Int,
        _ body: String = #"{"order_id": 7, "is_paid": true}"#,
        seen: @escaping @Sendable (EndpointRequest) -> Void = { _ in }
    ) throws -> LogtoChangingTransport {
        LogtoChangingTransport(next: try LogtoWorld().network) { request, response in
            seen(request)
            response = EndpointResponse(
                status: .init(code: status),
                fields: [.retryAfter: "7"],
                body: Array(body.utf8)
            )
        }
    }

    private func error(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A response with a status of 200 to 299 is a success, a redirect and a cached response are failures",
        .covers(.logto, rows: 38)
    )
    func statuses() async throws {
        let success = await LogtoRequest.get(useSession: try answering(201, "body"), endpoint: Self.endpoint)
        #expect(try success.get() == Data("body".utf8))
        for status in [304, 401] {
            let session = try answering(status, "body")
            let thrown = await error {
                _ = try await LogtoRequest.get(useSession: session, endpoint: Self.endpoint).get()
            }
            guard case .withCode(let code, let response, let data) = thrown as? LogtoErrors.Response else {
                Issue.record("Status \(status) ended as \(String(describing: thrown)).")
                continue
            }
            #expect(code == status && response.statusCode == status && data == Data("body".utf8))
            #expect(response.value(forHTTPHeaderField: "Retry-After") == "7")
            #expect(
                "\(LogtoErrors.Response.withCode(code: code, httpResponse: response, data: data))".contains("4 bytes")
            )
        }
        let moved = await LogtoRequest.load(
            useSession: try answering(302),
            method: .get,
            endpoint: Self.endpoint
        )
        #expect(moved.0 == nil && moved.1 as? TransportFailure == .redirectRefused)
    }

    @Test("A decoded response has snake_case members in camelCase properties", .covers(.logto, rows: 38))
    func decoding() async throws {
        let session = try answering(200)
        let order: Order = try await LogtoRequest.get(useSession: session, endpoint: Self.endpoint)
        #expect(order == Order(orderId: 7, isPaid: true))
        let again: Order = try await LogtoRequest.get(
            useSession: session,
            url: try #require(URL(string: Self.endpoint)),
            headers: ["Accept": "application/json"]
        )
        #expect(again == order)
        let other = try answering(200, "[]")
        let thrown = await error {
            let _: Order = try await LogtoRequest.get(useSession: other, endpoint: Self.endpoint)
        }
        #expect(thrown is DecodingError)
    }

    @Test(
        "A request with a token goes to https URLs and to this machine alone",
        .covers(.logto, rows: 61)
    )
    func insecure() async throws {
        let (data, insecure) = await LogtoRequest.load(
            useSession: try answering(200),
            method: .get,
            endpoint: "http://api.example.com",
            headers: ["Authorization": "Bearer t"]
        )
        #expect(data == nil && insecure as? TransportFailure == .insecureURL)
        let (_, nowhere) = await LogtoRequest.load(useSession: try answering(200), method: .get, endpoint: "")
        #expect(nowhere as? LogtoErrors.UrlConstruction == .unableToConstructUrl)
        let (_, field) = await LogtoRequest.load(
            useSession: try answering(200),
            method: .get,
            endpoint: Self.endpoint,
            headers: ["no name": "x"]
        )
        #expect(field as? TransportFailure == .invalidRequest)
    }

    @Test("A POST has its body and its fields, and its response is decoded or dropped", .covers(.logto, rows: 38))
    func post() async throws {
        let session = try answering(201) { request in
            #expect(request.method == .post && request.allFields[.contentType] == "application/json")
            #expect(request.allFields[.authorization] == "Bearer t" && request.body == Array("{}".utf8))
        }
        let headers = ["Authorization": "Bearer t", "Content-Type": "application/json"]
        let order: Order = try await LogtoRequest.post(
            useSession: session,
            endpoint: Self.endpoint,
            headers: headers,
            body: Data("{}".utf8)
        )
        #expect(order.orderId == 7)
        try await LogtoRequest.post(
            useSession: session,
            endpoint: Self.endpoint,
            headers: headers,
            body: Data("{}".utf8)
        )
        let refusing = try answering(400)
        let thrown = await error {
            try await LogtoRequest.post(useSession: refusing, endpoint: Self.endpoint, body: Data())
        }
        #expect(thrown is LogtoErrors.Response)
    }
}

/// A session of an app's tests, which shows bodies and errors alone, as Logto's SDK has its sessions.
private struct MockSession: NetworkSession {
    let network: LogtoNetwork

    func loadData(with request: URLRequest) async -> (Data?, (any Error)?) { await network.loadData(with: request) }
}

@Suite("Logto: sessions of the app's own")
struct NetworkSessionTests {
    @Test("A session that shows bodies and errors alone carries a whole sign-in", .covers(.logto, rows: 1, 31))
    func mock() async throws {
        let world = try LogtoWorld()
        let client = LogtoClient(
            useConfig: try world.config(),
            session: MockSession(network: world.session),
            userAgent: world.person(),
            store: world.store,
            clock: world.clock.device
        )
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        #expect(try await client.fetchUserInfo().sub == "user-alice")
        #expect(world.count("/token") == 1 && world.count("/me") == 1)
    }

    @Test("An error response that a session reports is the server's, and ends no session", .covers(.logto, rows: 32))
    func mockError() async throws {
        let world = try LogtoWorld()
        let client = LogtoClient(
            useConfig: try world.config(scopes: [UserScope.organizations.rawValue]),
            session: MockSession(network: world.session),
            userAgent: world.person(),
            store: world.store,
            clock: world.clock.device
        )
        try await client.signInWithBrowser(redirectUri: LogtoWorld.callback)
        do {
            _ = try await client.getOrganizationToken(forId: "others")
            Issue.record("A token of an organization that the user is no member of was issued.")
        } catch let error as LogtoClientErrors.AccessToken {
            guard case .refused(let refusal) = (error.innerError as? SignInError)?.reason else {
                Issue.record("\(error)")
                return
            }
            #expect(refusal.code == .accessDenied && client.isAuthenticated)
        }
    }

    @Test(
        "A URL session, the shared one and the app's own, reports a closed port and another scheme",
        .covers(.logto, rows: 1, 61)
    )
    func urlSession() async throws {
        let config = try LogtoConfig(endpoint: "http://127.0.0.1:9", appId: "a")
        for session in [URLSession.shared, URLSession(configuration: .ephemeral)] {
            let client = LogtoClient(useConfig: config, session: session, store: MemoryStore())
            do {
                try await client.fetchOidcConfig()
                Issue.record("Port 9 responded.")
            } catch {
                let inner = error.innerError as? SignInError
                #expect(inner?.stage == .discovery && inner?.reason == .transport(.unreachable))
            }
            let (data, failure) = await LogtoRequest.load(
                useSession: session,
                method: .get,
                endpoint: "ftp://127.0.0.1/"
            )
            #expect(data == nil && failure as? TransportFailure == .insecureURL)
        }
    }

    @Test(
        "The app's URLSession, whose delegate follows redirects, sends the token to no other host",
        .covers(.logto, rows: 38),
        arguments: [301, 302, 303, 307, 308]
    )
    func redirect(status: Int) async throws {
        let other = try LoopbackServer { _ in .response(body: "{}") }
        let server = try LoopbackServer { [port = other.port] _ in
            .response(status, ["Location: http://127.0.0.1:\(port)/elsewhere"], body: "moved")
        }
        let session = URLSession(configuration: .ephemeral, delegate: FollowingDelegate(), delegateQueue: nil)
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/api")))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        let (data, error) = await session.loadData(with: request)
        #expect(data == nil && error as? TransportFailure == .redirectRefused)
        let loaded = await LogtoRequest.load(
            useSession: session,
            method: .get,
            endpoint: "http://127.0.0.1:\(server.port)/api",
            headers: ["Authorization": "Bearer secret"]
        )
        #expect(loaded.0 == nil && loaded.1 as? TransportFailure == .redirectRefused)
        #expect(server.requests.map { $0.values(of: "Authorization") } == [["Bearer secret"], ["Bearer secret"]])
        #expect(other.requests.isEmpty)
        session.invalidateAndCancel()
    }

    @Test(
        "The app's URLSession keeps its header fields, and returns the response's status and body",
        .covers(.logto, rows: 38)
    )
    func settings() async throws {
        let server = try LoopbackServer { request in
            request.target == "/denied" ? .response(401, body: "no") : .response(200, body: "{\"a\":1}")
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-App": "shop"]
        let session = URLSession(configuration: configuration)
        let origin = "http://127.0.0.1:\(server.port)"
        let found = await session.loadData(with: URLRequest(url: try #require(URL(string: origin + "/found"))))
        #expect(found.0 == Data("{\"a\":1}".utf8) && found.1 == nil)
        let denied = await session.loadData(with: URLRequest(url: try #require(URL(string: origin + "/denied"))))
        guard case .withCode(let code, _, let data) = denied.1 as? LogtoErrors.Response else {
            Issue.record("\(String(describing: denied.1))")
            return
        }
        #expect(code == 401 && data == Data("no".utf8))
        #expect(server.requests.map { $0.values(of: "X-App") } == [["shop"], ["shop"]])
        session.invalidateAndCancel()
    }
}

/// The delegate of an app that follows every redirect with the fields of the first request.
private final class FollowingDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        var request = request
        request.allHTTPHeaderFields = task.originalRequest?.allHTTPHeaderFields
        completionHandler(request)
    }
}
