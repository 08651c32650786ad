#if canImport(UIKit)
    import Foundation
    import OstiaryAppAuth

    /// The two blocks of Curity's document that name the sheet, with `import OstiaryAppAuth` in place of `import AppAuth`.
    @MainActor
    final class CurityBlocks {
        let metadata: OIDServiceConfiguration
        let viewController: UIViewController
        var userAgentSession: OIDExternalUserAgentSession?
        let postLogoutRedirectUri = URL(string: "io.curity.client:/logoutcallback")

        init(_ metadata: OIDServiceConfiguration, _ viewController: UIViewController) {
            self.metadata = metadata
            self.viewController = viewController
        }

        /// "End Session Requests", as it stands.
        func endSession(_ idToken: String, _ handleEndSessionResponse: @escaping OIDEndSessionCallback) {
            let request = OIDEndSessionRequest(
                configuration: metadata,
                idTokenHint: idToken,
                postLogoutRedirectURL: postLogoutRedirectUri!,
                additionalParameters: nil
            )

            let agent = OIDExternalUserAgentIOS(presenting: viewController)
            self.userAgentSession = OIDAuthorizationService.present(
                request,
                externalUserAgent: agent!,
                handleEndSessionResponse
            )
        }

        /// The end of "Login Redirects"; printed, the call leaves `externalUserAgent:` out, which AppAuth's has as well.
        func present(
            _ request: OIDAuthorizationRequest,
            _ handleAuthorizationResponse: @escaping OIDAuthorizationCallback
        ) {
            let agent = OIDExternalUserAgentIOS(presenting: viewController)
            self.userAgentSession = OIDAuthorizationService.present(
                request,
                externalUserAgent: agent!,
                handleAuthorizationResponse
            )
        }
    }
#endif
