import Foundation
import HTTPTypes
import Ostiary
import OstiaryAppAuth
import OstiaryAutomation
import OstiaryOAuth
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

/// The acts of Curity's document and of its two published samples, with the calls that they make of AppAuth.
@Suite("AppAuth: Curity's document", .timeLimit(.minutes(5)))
struct CurityDocumentTests {
    /// The settings of the document.
    struct ApplicationConfig {
        let issuer = "https://bae971bb9a64.eu.ngrok.io/oauth/v2/oauth-anonymous"
        let redirectUri = "io.curity.client:/callback"
        let postLogoutRedirectUri = "io.curity.client:/logoutcallback"
        let scope = "openid profile"
    }

    let config = ApplicationConfig()
    let clock = TestClock()

    private func network(_ access: CurityDialect.RegistrationAccess = .open) throws -> InProcessProvider {
        var configuration = try ProviderConfiguration.curity(
            issuer: try Issuer(config.issuer),
            users: [World.alice],
            dialect: CurityDialect(nonTemplatized: access)
        )
        configuration.signingAlgorithms = [.rs256, .es256]
        configuration.signingKeys = [World.rsaKey, World.key]
        let clock = clock
        return InProcessProvider(
            provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        )
    }

    private func browser(_ network: InProcessProvider) -> OIDExternalUserAgentOstiary {
        let clock = clock
        return OIDExternalUserAgentOstiary(
            HTTPUserAgent(
                transport: network,
                credentials: .init(name: "alice", password: Secret("wonderland")),
                clock: clock.device
            )
        )
    }

    // MARK: The blocks of the document

    private func fetchMetadata() async throws -> OIDServiceConfiguration {
        let issuer = try #require(URL(string: config.issuer))
        return try await withCheckedThrowingContinuation { continuation in
            OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { metadata, error in
                if metadata != nil {
                    continuation.resume(returning: metadata!)
                } else {
                    continuation.resume(throwing: error ?? CancellationError())
                }
            }
        }
    }

    private func register(_ metadata: OIDServiceConfiguration) async throws -> OIDRegistrationResponse {
        let redirectUri = URL(string: config.redirectUri)
        var extraParams = [String: String]()
        extraParams["scope"] = self.config.scope
        extraParams["requires_consent"] = "true"
        extraParams["post_logout_redirect_uris"] = self.config.postLogoutRedirectUri

        let nonTemplatizedRequest = OIDRegistrationRequest(
            configuration: metadata,
            redirectURIs: [redirectUri!],
            responseTypes: nil,
            grantTypes: [OIDGrantTypeAuthorizationCode],
            subjectType: nil,
            tokenEndpointAuthMethod: nil,
            additionalParameters: extraParams
        )
        return try await withCheckedThrowingContinuation { continuation in
            @MainActor func handleRegistrationResponseCallback(response: OIDRegistrationResponse?, ex: (any Error)?) {
                if let response {
                    continuation.resume(returning: response)
                } else {
                    continuation.resume(throwing: ex ?? CancellationError())
                }
            }
            OIDAuthorizationService.perform(nonTemplatizedRequest, completion: handleRegistrationResponseCallback)
        }
    }

    private func authorize(
        _ metadata: OIDServiceConfiguration,
        _ clientID: String,
        in agent: OIDExternalUserAgentOstiary,
        scope: String? = nil
    ) async throws -> OIDAuthorizationResponse {
        let redirectUri = URL(string: config.redirectUri)
        var extraParams = [String: String]()
        extraParams["acr_values"] = "urn:se:curity:authentication:html-form:Username-Password"

        let scopesArray = (scope ?? self.config.scope).components(separatedBy: " ")
        let request = OIDAuthorizationRequest(
            configuration: metadata,
            clientId: clientID,
            clientSecret: nil,
            scopes: scopesArray,
            redirectURL: redirectUri!,
            responseType: OIDResponseTypeCode,
            additionalParameters: extraParams
        )
        return try await answer { handleAuthorizationResponse in
            OIDAuthorizationService.present(
                request,
                externalUserAgent: agent,
                callback: handleAuthorizationResponse
            )
        }
    }

    private func redeem(
        _ authResponse: OIDAuthorizationResponse,
        _ clientSecret: String?
    ) async throws -> OIDTokenResponse {
        var extraParams = [String: String]()
        if clientSecret != nil {
            extraParams["client_secret"] = clientSecret
        }
        let request = authResponse.tokenExchangeRequest(withAdditionalParameters: extraParams)
        return try await withCheckedThrowingContinuation { continuation in
            OIDAuthorizationService.perform(request!, originalAuthorizationResponse: authResponse) {
                tokenResponse,
                ex in
                if tokenResponse != nil {
                    continuation.resume(returning: tokenResponse!)
                } else {
                    continuation.resume(throwing: ex ?? CancellationError())
                }
            }
        }
    }

    /// - Returns: `nil` when the user has to sign in again.
    private func refreshAccessToken(
        _ metadata: OIDServiceConfiguration,
        _ registrationResponse: OIDRegistrationResponse,
        _ refreshToken: String
    ) async throws -> OIDTokenResponse? {
        let request = OIDTokenRequest(
            configuration: metadata,
            grantType: OIDGrantTypeRefreshToken,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: registrationResponse.clientID,
            clientSecret: registrationResponse.clientSecret,
            scope: nil,
            refreshToken: refreshToken,
            codeVerifier: nil,
            additionalParameters: nil
        )
        return try await withCheckedThrowingContinuation { continuation in
            OIDAuthorizationService.perform(request) { tokenResponse, ex in
                if tokenResponse != nil {
                    continuation.resume(returning: tokenResponse!)
                } else {
                    let error = ex! as NSError
                    if error.domain == OIDOAuthTokenErrorDomain && error.code == OIDErrorCodeOAuth.invalidGrant.rawValue
                    {
                        continuation.resume(returning: nil)
                    } else {
                        continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    @Test("The document's client registers, signs in, refreshes and signs out, with its state in OIDAuthState")
    func document() async throws {
        let network = try network()
        let agent = browser(network)
        try await OIDTransportProvider.withTransport(network, clock: clock.device) {
            let metadata = try await fetchMetadata()
            #expect(metadata.registrationEndpoint != nil)

            let registrationResponse = try await register(metadata)
            #expect(registrationResponse.clientSecret?.isEmpty == false)
            let state = OIDAuthState(authorizationResponse: nil, tokenResponse: nil, registrationResponse: nil)
            state.update(with: registrationResponse)

            let authResponse = try await authorize(metadata, registrationResponse.clientID, in: agent)
            let tokenResponse = try await redeem(authResponse, registrationResponse.clientSecret)
            state.update(with: tokenResponse, error: nil)
            #expect(state.isAuthorized && state.lastRegistrationResponse?.clientID == registrationResponse.clientID)
            let idToken = try #require(tokenResponse.idToken)

            let refreshed = try await refreshAccessToken(
                metadata,
                registrationResponse,
                try #require(state.lastTokenResponse?.refreshToken)
            )
            let newTokens = try #require(refreshed)
            state.update(with: newTokens, error: nil)
            #expect(state.lastTokenResponse?.accessToken == newTokens.accessToken)
            #expect(newTokens.accessToken != tokenResponse.accessToken)

            let request = OIDEndSessionRequest(
                configuration: metadata,
                idTokenHint: idToken,
                postLogoutRedirectURL: URL(string: config.postLogoutRedirectUri)!,
                additionalParameters: nil
            )
            let ended: OIDEndSessionResponse = try await answer { handleEndSessionResponse in
                OIDAuthorizationService.present(request, externalUserAgent: agent, callback: handleEndSessionResponse)
            }
            #expect(ended.state == request.state)
        }
    }

    @Test("The registration request has the members of the document, in the types that the document has them in")
    func registrationRequest() async throws {
        let network = try network()
        try await OIDTransportProvider.withTransport(network, clock: clock.device) {
            _ = try await register(try await fetchMetadata())
        }
        let sent = try #require(network.requests.last { $0.method == .post }?.request.content)
        let text = String(decoding: sent.bytes, as: UTF8.self)
        #expect(text.contains(#""redirect_uris":["io.curity.client:/callback"]"#))
        #expect(text.contains(#""post_logout_redirect_uris":["io.curity.client:/logoutcallback"]"#))
        #expect(text.contains(#""application_type":"native""#) && text.contains(#""scope":"openid profile""#))
        #expect(text.contains(#""grant_types":["authorization_code"]"#) && text.contains(#""requires_consent":true"#))
    }

    @Test("The parameters of the document go to the browser and to the token endpoint")
    func parameters() async throws {
        let network = try network()
        let agent = browser(network)
        try await OIDTransportProvider.withTransport(network, clock: clock.device) {
            let metadata = try await fetchMetadata()
            let registration = try await register(metadata)
            let response = try await authorize(metadata, registration.clientID, in: agent)
            _ = try await redeem(response, registration.clientSecret)
            let page = try #require(network.requests.first { $0.path == "/oauth/v2/oauth-authorize" }?.request.url)
            let query = try #require(FormURLEncoding.decode(page.query(percentEncoded: true) ?? ""))
            for name in ["client_id", "redirect_uri", "response_type", "state", "nonce", "scope", "code_challenge"] {
                #expect(query[Parameters.Name(rawValue: name)]?.isEmpty == false, "\(name)")
            }
            #expect(query[.codeChallengeMethod] == "S256" && query[.acrValues]?.isEmpty == false)
            let form = try #require(network.requests.last { $0.path == "/oauth/v2/oauth-token" }?.request.form)
            let names = Set(form.names.map(\.rawValue))
            #expect(
                names == ["grant_type", "code", "client_id", "client_secret", "code_verifier", "redirect_uri"]
            )
        }
    }

    @Test("An expired refresh token requires a new sign-in, as the sample's check of the error expects")
    func expired() async throws {
        let network = try network()
        let agent = browser(network)
        let clock = clock
        try await OIDTransportProvider.withTransport(network, clock: clock.device) {
            let metadata = try await fetchMetadata()
            let registration = try await register(metadata)
            let tokens = try await redeem(
                try await authorize(metadata, registration.clientID, in: agent),
                registration.clientSecret
            )
            clock.advance(by: .seconds(3601))
            let refreshed = try await refreshAccessToken(metadata, registration, try #require(tokens.refreshToken))
            #expect(refreshed == nil)
        }
    }

    @Test("The second sample registers with the token of a sign-in, and keeps the registration in an archive")
    func secondSample() async throws {
        let network = try network(.withInitialAccessToken)
        let agent = browser(network)
        try await OIDTransportProvider.withTransport(network, clock: clock.device) {
            let metadata = try await fetchMetadata()
            let first = try await authorize(metadata, "mobile-dcr-client", in: agent, scope: "dcr")
            let accessToken = try #require(try await redeem(first, nil).accessToken)
            let request = OIDRegistrationRequest(
                configuration: metadata,
                redirectURIs: [URL(string: config.redirectUri)!],
                responseTypes: nil,
                grantTypes: [OIDGrantTypeAuthorizationCode],
                subjectType: nil,
                tokenEndpointAuthMethod: "client_secret_basic",
                initialAccessToken: accessToken,
                additionalParameters: ["scope": config.scope, "requires_consent": "false"]
            )
            let registered = try await OIDAuthorizationService.perform(request)
            let data = try NSKeyedArchiver.archivedData(withRootObject: registered, requiringSecureCoding: false)
            let restored = try #require(
                try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDRegistrationResponse.self, from: data)
            )
            let state = OIDAuthState(authorizationResponse: nil, tokenResponse: nil, registrationResponse: nil)
            state.update(with: restored)
            let response = try await authorize(metadata, restored.clientID, in: agent)
            let tokens = try await redeem(response, restored.clientSecret)
            state.update(with: tokens, error: nil)
            #expect(state.lastTokenResponse?.accessToken?.isEmpty == false)
            #expect(state.lastRegistrationResponse?.clientSecret == restored.clientSecret)

            // A token that was used is refused, in the registration's domain or as the resource server's refusal.
            let error = await failure { try await OIDAuthorizationService.perform(request) }
            #expect(error?.domain == OIDOAuthRegistrationErrorDomain)
        }
    }

    @Test("A refused registration is in the registration's domain, with the server's words")
    func refusedRegistration() async throws {
        let network = try network()
        let error = try await OIDTransportProvider.withTransport(network, clock: clock.device) {
            let request = OIDRegistrationRequest(
                configuration: try await fetchMetadata(),
                redirectURIs: [],
                responseTypes: nil,
                grantTypes: nil,
                subjectType: "unheard-of",
                tokenEndpointAuthMethod: nil,
                additionalParameters: nil
            )
            return await failure { try await OIDAuthorizationService.perform(request) }
        }
        #expect(error?.domain == OIDOAuthRegistrationErrorDomain && [-12, -13].contains(error?.code ?? 0))
        let fields = error?.userInfo[OIDOAuthErrorResponseErrorKey] as? [String: Any]
        #expect((fields?["error"] as? String)?.hasPrefix("invalid_") == true)
    }
}
