import Foundation
import HTTPTypes
import Ostiary
import OstiaryAppAuth
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

enum Values {
    static let configuration = OIDServiceConfiguration(
        authorizationEndpoint: URL(string: "https://id.example.test/authorize?tenant=7")!,
        tokenEndpoint: URL(string: "https://id.example.test/token")!,
        issuer: URL(string: "https://id.example.test"),
        registrationEndpoint: URL(string: "https://id.example.test/register"),
        endSessionEndpoint: URL(string: "https://id.example.test/logout")
    )
    static let tokenRequest = OIDTokenRequest(
        configuration: configuration,
        grantType: "custom",
        authorizationCode: "c",
        redirectURL: World.redirect,
        clientID: "app",
        clientSecret: "s",
        scopes: ["a", "b"],
        refreshToken: "r",
        codeVerifier: "v",
        additionalParameters: ["p": "1"],
        additionalHeaders: ["X-H": "2"]
    )
    static let metadata = """
        {"issuer":"https://id.example.test","authorization_endpoint":"https://id.example.test/authorize",\
        "token_endpoint":"https://id.example.test/token","jwks_uri":"https://id.example.test/keys",\
        "response_types_supported":["code"],"subject_types_supported":["public"],\
        "id_token_signing_alg_values_supported":["ES256"],"scopes_supported":["openid"]}
        """
}

@Suite("AppAuth: values")
struct ValueTests {
    @Test("AppAuth's constants have the specifications' values")
    func constants() {
        #expect(
            [OIDScopeProfile, OIDScopeEmail, OIDScopeAddress, OIDScopePhone] == [
                "profile", "email", "address", "phone",
            ]
        )
        #expect(OIDScopeOpenID == "openid" && OIDApplicationTypeNative == "native")
        #expect([OIDGrantTypeAuthorizationCode, OIDGrantTypeRefreshToken] == ["authorization_code", "refresh_token"])
        #expect([OIDGrantTypePassword, OIDGrantTypeClientCredentials] == ["password", "client_credentials"])
        #expect([OIDResponseTypeCode, OIDResponseTypeToken, OIDResponseTypeIDToken] == ["code", "token", "id_token"])
    }

    @Test("A request has its initializer's values, and a state, nonce and PKCE pair of its own")
    func requests() throws {
        let first = World.request(Values.configuration, secret: "s", scopes: ["a", "b"], additional: ["p": "1"])
        #expect(first.scope == "a b" && first.clientID == "app" && first.clientSecret == "s")
        #expect(first.responseType == "code" && first.redirectURL == World.redirect)
        #expect(first.additionalParameters == ["p": "1"] && first.codeChallengeMethod == "S256")
        #expect(first.codeChallenge == OIDAuthorizationRequest.codeChallengeS256(forVerifier: first.codeVerifier))
        let second = World.request(Values.configuration)
        #expect(first.state != second.state && first.nonce != second.nonce && first.codeVerifier != second.codeVerifier)
        #expect(first.state != first.nonce && first.state?.count == 43)
        let own = OIDAuthorizationRequest(
            configuration: Values.configuration,
            clientId: "app",
            scopes: [],
            redirectURL: World.redirect,
            responseType: OIDResponseTypeCode,
            nonce: "n",
            additionalParameters: nil
        )
        #expect(own.nonce == "n" && own.scope == "" && own.clientSecret == nil && own.codeVerifier?.count == 43)
        let plain = OIDAuthorizationRequest(
            configuration: Values.configuration,
            clientId: "app",
            scopes: ["a"],
            redirectURL: World.redirect,
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
        #expect(plain.clientSecret == nil && plain.scope == "a")
    }

    @Test("A request's URL has its parameters, escaped, behind those of the endpoint")
    func requestURL() throws {
        let request = World.request(Values.configuration, additional: ["z": "1", "login_hint": "a&b=c d"])
        let url = request.authorizationRequestURL()
        #expect(
            url.absoluteString.hasPrefix("https://id.example.test/authorize?tenant=7&response_type=code&client_id=app&")
        )
        let query = try #require(FormURLEncoding.decode(url.query(percentEncoded: true) ?? ""))
        #expect(query["login_hint"] == "a&b=c d" && query[.state] == request.state && query[.nonce] == request.nonce)
        #expect(query[.codeChallenge] == request.codeChallenge && query[.codeVerifier] == nil)
        #expect(query[.redirectURI] == "com.example.app:/callback" && query[.scope] == "openid profile offline_access")
        #expect(request.externalUserAgentRequestURL() == url && request.redirectScheme() == "com.example.app")
    }

    @Test("A PKCE verifier has the characters and the entropy that RFC 7636 asks for, and the RFC's challenge")
    func verifiers() throws {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        for _ in 0..<100 {
            let verifier = try #require(OIDAuthorizationRequest.generateCodeVerifier())
            #expect((43...128).contains(verifier.count) && verifier.allSatisfy(allowed.contains))
        }
        // RFC 7636 appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = OIDAuthorizationRequest.codeChallengeS256(forVerifier: verifier)
        #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(OIDAuthorizationRequest.codeChallengeS256(forVerifier: nil) == nil)
    }

    @Test("Scopes are joined and split")
    func scopes() {
        #expect(OIDScopeUtilities.scopes(with: ["openid", "a"]) == "openid a")
        #expect(OIDScopeUtilities.scopesArray(with: "openid  a ") == ["openid", "a"])
    }

    @Test("Base64url, form and hash encodings follow the specifications, and a redacted text shows nothing")
    func utilities() {
        #expect(OIDTokenUtilities.encodeBase64urlNoPadding(Data([0xFB, 0xFF])) == "-_8")
        #expect(
            OIDTokenUtilities.formUrlEncode("t _~&é") == "t%20_~%26%C3%A9" && OIDTokenUtilities.formUrlEncode("") == ""
        )
        #expect(OIDTokenUtilities.redact("0123456789") == "[redacted]")
        #expect(OIDTokenUtilities.redact(nil) == nil && OIDTokenUtilities.redact("") == "")
        #expect(OIDTokenUtilities.randomURLSafeString(withSize: 0) == nil)
        #expect(OIDTokenUtilities.randomURLSafeString(withSize: 1)?.count == 2)
        #expect(OIDTokenUtilities.sha256("abc").first == 0xBA)
    }

    @Test("An end-session URL has its parameters")
    func endSession() throws {
        let request = OIDEndSessionRequest(
            configuration: Values.configuration,
            idTokenHint: "hint",
            postLogoutRedirectURL: World.signedOut,
            additionalParameters: ["client_id": "app"]
        )
        let url = request.endSessionRequestURL()
        let query = try #require(FormURLEncoding.decode(url.query(percentEncoded: true) ?? ""))
        #expect(url.absoluteString.hasPrefix("https://id.example.test/logout?") && query[.idTokenHint] == "hint")
        #expect(query[.postLogoutRedirectURI] == "com.example.app:/signedout" && query[.clientID] == "app")
        #expect(query[.state] == request.state && request.state?.count == 43)
        #expect(request.redirectScheme() == "com.example.app" && request.externalUserAgentRequestURL() == url)
    }

    @Test("Members of a token response are read as AppAuth reads them")
    func tokenResponse() throws {
        let response = OIDTokenResponse(
            request: Values.tokenRequest,
            parameters: [
                "access_token": NSString(string: "a"), "expires_in": NSNumber(value: 60),
                "token_type": NSString(string: "Bearer"), "id_token": NSString(string: "i"),
                "refresh_token": NSString(string: "r"), "scope": NSString(string: "x"),
                "custom": NSArray(array: [NSNumber(value: true)]),
            ]
        )
        #expect(response.accessToken == "a" && response.idToken == "i" && response.refreshToken == "r")
        #expect(response.scope == "x" && response.tokenType == "Bearer" && response.request === Values.tokenRequest)
        let left = try #require(response.accessTokenExpirationDate).timeIntervalSinceNow
        #expect(left > 50 && left <= 60)
        #expect(response.additionalParameters?.keys.sorted() == ["custom"])
    }

    // MARK: Metadata

    @Test("Metadata has its members under AppAuth's names, and the specifications' defaults")
    func discovery() throws {
        let document = try OIDServiceDiscovery(json: Values.metadata)
        #expect(document.issuer.absoluteString == "https://id.example.test")
        #expect(document.jwksURL.absoluteString == "https://id.example.test/keys")
        #expect(document.responseTypesSupported == ["code"] && document.subjectTypesSupported == ["public"])
        #expect(document.idTokenSigningAlgorithmValuesSupported == ["ES256"])
        #expect(document.requestURIParameterSupported && !document.claimsParameterSupported)
        #expect(!document.requestParameterSupported && !document.requireRequestURIRegistration)
        #expect(document.userinfoEndpoint == nil && document.grantTypesSupported == nil)
        let again = try OIDServiceDiscovery(dictionary: document.discoveryDictionary)
        #expect(again.discoveryDictionary["issuer"] as? String == "https://id.example.test")
        #expect(OIDServiceConfiguration(discoveryDocument: document).tokenEndpoint == document.tokenEndpoint)
    }

    @Test("Every member of metadata is found under its own name")
    func members() throws {
        let lists: [(String, any KeyPath<OIDServiceDiscovery, [String]?> & Sendable)] = [
            ("response_modes_supported", \.responseModesSupported), ("grant_types_supported", \.grantTypesSupported),
            ("acr_values_supported", \.acrValuesSupported),
            ("id_token_encryption_alg_values_supported", \.idTokenEncryptionAlgorithmValuesSupported),
            ("id_token_encryption_enc_values_supported", \.idTokenEncryptionEncodingValuesSupported),
            ("userinfo_signing_alg_values_supported", \.userinfoSigningAlgorithmValuesSupported),
            ("userinfo_encryption_alg_values_supported", \.userinfoEncryptionAlgorithmValuesSupported),
            ("userinfo_encryption_enc_values_supported", \.userinfoEncryptionEncodingValuesSupported),
            ("request_object_signing_alg_values_supported", \.requestObjectSigningAlgorithmValuesSupported),
            ("request_object_encryption_alg_values_supported", \.requestObjectEncryptionAlgorithmValuesSupported),
            ("request_object_encryption_enc_values_supported", \.requestObjectEncryptionEncodingValuesSupported),
            ("token_endpoint_auth_methods_supported", \.tokenEndpointAuthMethodsSupported),
            (
                "token_endpoint_auth_signing_alg_values_supported",
                \.tokenEndpointAuthSigningAlgorithmValuesSupported
            ),
            ("display_values_supported", \.displayValuesSupported), ("claim_types_supported", \.claimTypesSupported),
            ("claims_supported", \.claimsSupported), ("claims_locales_supported", \.claimsLocalesSupported),
            ("ui_locales_supported", \.uiLocalesSupported), ("scopes_supported", \.scopesSupported),
        ]
        let urls: [(String, any KeyPath<OIDServiceDiscovery, URL?> & Sendable)] = [
            ("device_authorization_endpoint", \.deviceAuthorizationEndpoint), ("userinfo_endpoint", \.userinfoEndpoint),
            ("registration_endpoint", \.registrationEndpoint), ("end_session_endpoint", \.endSessionEndpoint),
            ("service_documentation", \.serviceDocumentation), ("op_policy_uri", \.opPolicyURI),
            ("op_tos_uri", \.opTosURI),
        ]
        let known = try OIDServiceDiscovery(json: Values.metadata).discoveryDictionary
        for (name, path) in lists {
            let document = try OIDServiceDiscovery(dictionary: known.merging([name: ["v"]]) { $1 })
            #expect(document[keyPath: path] == ["v"], "\(name)")
        }
        for (name, path) in urls {
            let document = try OIDServiceDiscovery(dictionary: known.merging([name: "https://x.example.test/"]) { $1 })
            #expect(document[keyPath: path]?.absoluteString == "https://x.example.test/", "\(name)")
        }
        let switched = try OIDServiceDiscovery(
            dictionary: known.merging([
                "claims_parameter_supported": true, "request_parameter_supported": true,
                "request_uri_parameter_supported": false, "require_request_uri_registration": true,
            ]) { $1 }
        )
        #expect(switched.claimsParameterSupported && switched.requestParameterSupported)
        #expect(!switched.requestURIParameterSupported && switched.requireRequestURIRegistration)
    }

    @Test(
        "Metadata without a required member is incomplete",
        arguments: [
            "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
            "subject_types_supported", "id_token_signing_alg_values_supported",
        ]
    )
    func incomplete(member: String) async throws {
        var members: [AnyHashable: Any] = try OIDServiceDiscovery(json: Values.metadata).discoveryDictionary
        members[member] = nil
        let incomplete = members
        #expect(
            Place(await failure { try OIDServiceDiscovery(dictionary: incomplete) }) == Place(.invalidDiscoveryDocument)
        )
    }

    @Test(
        "Text that is no JSON object is no discovery document",
        arguments: ["", "nonsense", "[1]", "{\"issuer\":1,\"issuer\":2}"]
    )
    func noMetadata(text: String) async {
        let error = await failure { try OIDServiceDiscovery(json: text) }
        #expect(Place(error) == Place(.jsonDeserializationError))
        #expect(await failure { try OIDServiceDiscovery(jsonData: Data(text.utf8)) } != nil)
    }

    @Test("Metadata is read by issuer and by its own URL, with a callback and without")
    func reading() async throws {
        let world = try World()
        let issuer = try #require(URL(string: World.issuer))
        let url = try #require(URL(string: World.issuer + "/.well-known/openid-configuration"))
        let slashed = try #require(URL(string: World.issuer + "/"))
        try await world.run {
            let first = try await OIDAuthorizationService.discoverConfiguration(forIssuer: issuer)
            let second = try await OIDAuthorizationService.discoverConfiguration(forDiscoveryURL: url)
            let third = try await OIDAuthorizationService.discoverConfiguration(forIssuer: slashed)
            let fourth: OIDServiceConfiguration = try await withCheckedThrowingContinuation { continuation in
                OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
                    #expect(MainQueue.isCurrent)
                    if let configuration {
                        continuation.resume(returning: configuration)
                    } else {
                        continuation.resume(throwing: error ?? CancellationError())
                    }
                }
            }
            for configuration in [first, second, third, fourth] {
                #expect(configuration.tokenEndpoint.absoluteString == World.issuer + "/token")
                #expect(configuration.issuer == issuer && configuration.discoveryDocument != nil)
            }
        }
    }

    @Test("Metadata that cannot be read has AppAuth's codes")
    func unreadable() async throws {
        let world = try World()
        func code(_ issuer: String, _ response: EndpointResponse?) async -> Place? {
            let transport = Detour(next: world.network) { _ in response }
            return Place(
                await failure {
                    try await OIDTransportProvider.withTransport(transport, clock: world.clock.device) {
                        try await OIDAuthorizationService.discoverConfiguration(
                            forIssuer: try #require(URL(string: issuer))
                        )
                    }
                }
            )
        }
        #expect(await code("https://unreachable.example.test", nil) == Place(.networkError))
        #expect(await code(World.issuer, EndpointResponse(status: .notFound)) == Place(.networkError))
        #expect(await code(World.issuer, EndpointResponse(body: Array("{".utf8))) == Place(.networkError))
        let other = json(["issuer": "https://other.example.test"])
        #expect(await code(World.issuer, other) == Place(.invalidDiscoveryDocument))
        #expect(await code("http://id.example.test", nil) == Place(.invalidDiscoveryDocument))
    }

    @Test("The transport that the app sets is used until it is reset to URLSession")
    func transport() throws {
        let network = try World().network
        OIDTransportProvider.setTransport(network)
        #expect(OIDTransportProvider.transport as? InProcessProvider === network)
        OIDTransportProvider.setTransport(nil)
        #expect(OIDTransportProvider.transport is URLSessionTransport)
    }

    // MARK: ID tokens and errors

    @Test("An ID token is parsed without verification, and malformed text gives nil")
    func idToken() async throws {
        let world = try World()
        let state = try await world.signIn()
        let text = try #require(state.lastTokenResponse?.idToken)
        let token = try #require(OIDIDToken(idTokenString: text))
        #expect(token.issuer.absoluteString == World.issuer && token.audience as? [String] == ["app"])
        #expect(token.expiresAt.timeIntervalSince(token.issuedAt) == 300)
        #expect(token.header["alg"] as? String == "ES256" && token.claims["sub"] as? String == "alice-subject")
        for wrong in ["", "a.b", "a.b.c", String(repeating: "a", count: 70_000)] {
            #expect(OIDIDToken(idTokenString: wrong) == nil)
        }
    }

    @Test("OAuth error codes have AppAuth's numbers")
    func numbers() {
        let numbers = [
            "invalid_request": -2, "unauthorized_client": -3, "access_denied": -4, "unsupported_response_type": -5,
            "invalid_scope": -6, "server_error": -7, "temporarily_unavailable": -8, "invalid_client": -9,
            "invalid_grant": -10, "unsupported_grant_type": -11, "invalid_redirect_uri": -12,
            "invalid_client_metadata": -13, "anything": -0xF000,
        ]
        for (code, number) in numbers { #expect(OIDErrorUtilities.oAuthErrorCode(from: code).rawValue == number) }
        #expect(OIDErrorCodeOAuth.clientError.rawValue == -0xEFFF)
        #expect(OIDErrorCode(rawValue: -17) == .invalidAuthorizationFlow && OIDErrorCode(rawValue: -2) != nil)
    }

    @Test("An app can make errors of AppAuth's domains")
    func ownErrors() {
        let cause = NSError(domain: "app", code: 1)
        let general =
            OIDErrorUtilities.error(with: .networkError, underlyingError: cause, description: "No.") as NSError
        #expect(Place(general) == Place(.networkError) && general.localizedDescription == "No.")
        #expect((general.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "app")
        let response: [AnyHashable: Any] = ["error": "invalid_scope", "error_description": "Too wide"]
        let oauth = OIDErrorUtilities.oAuthError(
            withDomain: OIDOAuthTokenErrorDomain,
            oAuthResponse: response,
            underlyingError: nil
        )
        #expect(Place(oauth as NSError) == Place(OIDOAuthTokenErrorDomain, -6))
        #expect((oauth as NSError).localizedDescription == "invalid_scope: Too wide")
        let resource = OIDErrorUtilities.resourceServerAuthorizationError(
            withCode: 3,
            errorResponse: nil,
            underlyingError: nil
        )
        #expect(Place(resource as NSError) == Place(OIDResourceServerAuthorizationErrorDomain, 3))
        #expect(!OIDErrorUtilities.isOAuthErrorDomain(OIDGeneralErrorDomain))
    }
}
