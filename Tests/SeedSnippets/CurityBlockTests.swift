import Foundation
import Ostiary
import OstiaryAppAuth
import OstiaryAutomation
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

/// The Swift blocks of Curity's document "Swift iOS App using AppAuth", in its order and word for word but for
/// layout, with `import OstiaryAppAuth` in place of `import AppAuth`.
///
/// | Block | Here |
/// |---|---|
/// | `struct ApplicationConfig` | two members lack `let`, and its end is missing: both added |
/// | Dynamic Client Registration | `register`, as printed |
/// | Login Redirects | `authorize`; printed, it changes a `let` and leaves `externalUserAgent:` out: both mended |
/// | Login Completion | `redeem`; printed, the closure has no body: it has one here |
/// | Using and Refreshing Access Tokens | `refresh`, as printed |
/// | the check of an error | `isCancelled`, as printed |
/// | End Session Requests | `endSession`, as printed but for `OIDExternalUserAgentIOS`, which is UIKit's: see Verbatim |
@Suite("Curity's document, block by block", .timeLimit(.minutes(5)))
struct CurityBlockTests {
    struct ApplicationConfig {
        let issuer = "https://bae971bb9a64.eu.ngrok.io/oauth/v2/oauth-anonymous"
        let redirectUri = "io.curity.client:/callback"
        let postLogoutRedirectUri = "io.curity.client:/logoutcallback"
        let scope = "openid profile"
    }

    /// The document's handler: its blocks as methods, with what they read from around them.
    @MainActor
    private final class AppAuthHandler {
        let config = ApplicationConfig()
        let metadata: OIDServiceConfiguration
        let agent: (any OIDExternalUserAgent)?
        var userAgentSession: (any OIDExternalUserAgentSession)?
        let redirectUri = URL(string: "io.curity.client:/callback")
        let postLogoutRedirectUri = URL(string: "io.curity.client:/logoutcallback")

        init(_ metadata: OIDServiceConfiguration, _ agent: any OIDExternalUserAgent) {
            self.metadata = metadata
            self.agent = agent
        }

        func register(_ handleRegistrationResponseCallback: @escaping OIDRegistrationCompletion) {
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

            OIDAuthorizationService.perform(nonTemplatizedRequest, handleRegistrationResponseCallback)
        }

        func authorize(
            _ registrationResponse: OIDRegistrationResponse,
            _ handleAuthorizationResponse: @escaping OIDAuthorizationCallback
        ) {
            var extraParams = [String: String]()
            extraParams["acr_values"] = "urn:se:curity:authentication:html-form:Username-Password"

            let scopesArray = self.config.scope.components(separatedBy: " ")
            let request = OIDAuthorizationRequest(
                configuration: metadata,
                clientId: registrationResponse.clientID,
                clientSecret: nil,
                scopes: scopesArray,
                redirectURL: redirectUri!,
                responseType: OIDResponseTypeCode,
                additionalParameters: extraParams
            )

            self.userAgentSession = OIDAuthorizationService.present(
                request,
                externalUserAgent: agent!,
                handleAuthorizationResponse
            )
        }

        func redeem(
            _ registrationResponse: OIDRegistrationResponse,
            _ authResponse: OIDAuthorizationResponse,
            _ handleTokenExchangeCallback: @escaping OIDTokenCallback
        ) {
            var extraParams = [String: String]()
            extraParams["client_secret"] = registrationResponse.clientSecret
            let request = authResponse.tokenExchangeRequest(withAdditionalParameters: extraParams)

            OIDAuthorizationService.perform(
                request!,
                originalAuthorizationResponse: authResponse
            ) { tokenResponse, error in
                handleTokenExchangeCallback(tokenResponse, error)
            }
        }

        func refresh(
            _ registrationResponse: OIDRegistrationResponse,
            _ refreshToken: String?,
            _ handleTokenResponse: @escaping OIDTokenCallback
        ) {
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

            OIDAuthorizationService.perform(request, handleTokenResponse)
        }

        func endSession(_ idToken: String, _ handleEndSessionResponse: @escaping OIDEndSessionCallback) {
            let request = OIDEndSessionRequest(
                configuration: metadata,
                idTokenHint: idToken,
                postLogoutRedirectURL: postLogoutRedirectUri!,
                additionalParameters: nil
            )

            self.userAgentSession = OIDAuthorizationService.present(
                request,
                externalUserAgent: agent!,
                handleEndSessionResponse
            )
        }
    }

    private func isCancelled(_ error: NSError) -> Bool {
        if error.domain == OIDGeneralErrorDomain && error.code == OIDErrorCode.userCanceledAuthorizationFlow.rawValue {
            return true
        }
        return false
    }

    @MainActor
    private func answer<Response: Sendable>(
        _ call: (@escaping @MainActor @Sendable (Response?, (any Error)?) -> Void) -> Void
    ) async throws -> Response {
        try await withCheckedThrowingContinuation { continuation in
            call { response, error in
                if let response {
                    continuation.resume(returning: response)
                } else {
                    continuation.resume(throwing: error ?? CancellationError())
                }
            }
        }
    }

    @Test("The document's blocks register, sign in, redeem, refresh and sign out")
    @MainActor
    func blocks() async throws {
        let clock = TestClock()
        var random = SecureRandom()
        let user = ProviderUser(
            name: "demouser",
            passwordHash: try PasswordHash(Secret("Password1"), cost: .insecureForTests, using: &random),
            subject: "demouser"
        )
        let issuer = ApplicationConfig().issuer
        let configuration = try ProviderConfiguration.curity(issuer: try Issuer(issuer), users: [user])
        let network = InProcessProvider(
            provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        )
        let browser = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "demouser", password: Secret("Password1")),
            clock: clock.device
        )
        let handled = try await OIDTransportProvider.withTransport(network, clock: clock.device) {
            let metadata = try await OIDAuthorizationService.discoverConfiguration(
                forIssuer: try #require(URL(string: issuer))
            )
            let handler = AppAuthHandler(metadata, OIDExternalUserAgentOstiary(browser))
            let registered = try await answer { handler.register($0) }
            let response = try await answer { handler.authorize(registered, $0) }
            let tokens = try await answer { handler.redeem(registered, response, $0) }
            let refreshed = try await answer { handler.refresh(registered, tokens.refreshToken, $0) }
            #expect(refreshed.accessToken?.isEmpty == false && refreshed.accessToken != tokens.accessToken)
            let ended = try await answer { handler.endSession(tokens.idToken ?? "", $0) }
            return ended.state?.isEmpty == false
        }
        #expect(handled)
        #expect(isCancelled(NSError(domain: OIDGeneralErrorDomain, code: -3)))
        #expect(!isCancelled(NSError(domain: OIDOAuthTokenErrorDomain, code: -3)))
    }
}
