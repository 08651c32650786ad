#if canImport(UIKit) && canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import Ostiary
    public import UIKit

    /// The system's sheet for signing in on the web, in front of a view controller.
    public final class OIDExternalUserAgentIOS: OIDExternalUserAgent {
        private let userAgent: OIDExternalUserAgentOstiary

        /// Presents in front of a view controller, with the cookies of the user's browser; never `nil`.
        public convenience init?(presenting presentingViewController: UIViewController) {
            self.init(presenting: presentingViewController, prefersEphemeralSession: false)
        }

        /// Presents in front of a view controller; never `nil`.
        ///
        /// - Parameters:
        ///   - presentingViewController: The view controller.
        ///   - prefersEphemeralSession: Whether the page starts without cookies and leaves none.
        public init?(presenting presentingViewController: UIViewController, prefersEphemeralSession: Bool) {
            let window = PresentationWindow.window { [weak presentingViewController] in
                presentingViewController?.viewIfLoaded?.window
            }
            userAgent = OIDExternalUserAgentOstiary(
                WebAuthenticationUserAgent(
                    browserSession: prefersEphemeralSession ? .ephemeral : .shared,
                    window: window
                )
            )
        }

        /// Presents a request.
        @MainActor
        public func present(
            _ request: any OIDExternalUserAgentRequest,
            session: any OIDExternalUserAgentSession
        ) -> Bool {
            userAgent.present(request, session: session)
        }

        /// Takes the sheet away.
        @MainActor
        public func dismiss(animated: Bool, completion: @escaping () -> Void) {
            userAgent.dismiss(animated: animated, completion: completion)
        }
    }

    extension OIDAuthorizationService {
        /// Presents an authorization request in front of a view controller.
        @discardableResult
        public static func present(
            _ request: OIDAuthorizationRequest,
            presenting presentingViewController: UIViewController,
            prefersEphemeralSession: Bool = false,
            callback: @escaping OIDAuthorizationCallback
        ) -> any OIDExternalUserAgentSession {
            let userAgent = OIDExternalUserAgentIOS(
                presenting: presentingViewController,
                prefersEphemeralSession: prefersEphemeralSession
            )
            return present(request, externalUserAgent: userAgent ?? OIDExternalUserAgentOstiary(), callback: callback)
        }
    }

    extension OIDAuthState {
        /// Presents an authorization request in front of a view controller, and redeems its code.
        @discardableResult
        public static func authState(
            byPresenting authorizationRequest: OIDAuthorizationRequest,
            presenting presentingViewController: UIViewController,
            prefersEphemeralSession: Bool = false,
            callback: @escaping OIDAuthStateAuthorizationCallback
        ) -> any OIDExternalUserAgentSession {
            let userAgent = OIDExternalUserAgentIOS(
                presenting: presentingViewController,
                prefersEphemeralSession: prefersEphemeralSession
            )
            return authState(
                byPresenting: authorizationRequest,
                externalUserAgent: userAgent ?? OIDExternalUserAgentOstiary(),
                callback: callback
            )
        }
    }
#endif
