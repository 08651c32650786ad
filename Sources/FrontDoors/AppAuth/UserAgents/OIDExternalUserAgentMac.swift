#if canImport(AppKit) && !canImport(UIKit) && canImport(AuthenticationServices)
    import Ostiary
    public import AppKit

    /// The system's sheet for signing in on the web, in front of a window.
    public final class OIDExternalUserAgentMac: OIDExternalUserAgent {
        private let userAgent: OIDExternalUserAgentOstiary

        /// Presents in front of a window, with the cookies of the user's browser.
        public convenience init(presenting presentingWindow: NSWindow) { self.init(presentingWindow, .shared) }

        /// Presents in front of a window; never `nil`.
        ///
        /// - Parameters:
        ///   - presentingWindow: The window.
        ///   - prefersEphemeralSession: Whether the page starts without cookies and leaves none.
        public convenience init?(presenting presentingWindow: NSWindow, prefersEphemeralSession: Bool) {
            self.init(presentingWindow, prefersEphemeralSession ? .ephemeral : .shared)
        }

        private init(_ presentingWindow: NSWindow, _ browserSession: BrowserSession) {
            let window = PresentationWindow.window { [weak presentingWindow] in presentingWindow }
            userAgent = OIDExternalUserAgentOstiary(
                PlatformUserAgent(browserSession: browserSession, window: window)
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
        /// Presents an authorization request in front of a window.
        @discardableResult
        public static func present(
            _ request: OIDAuthorizationRequest,
            presenting presentingWindow: NSWindow,
            prefersEphemeralSession: Bool = false,
            callback: @escaping OIDAuthorizationCallback
        ) -> any OIDExternalUserAgentSession {
            let userAgent = OIDExternalUserAgentMac(
                presenting: presentingWindow,
                prefersEphemeralSession: prefersEphemeralSession
            )
            return present(request, externalUserAgent: userAgent ?? OIDExternalUserAgentOstiary(), callback: callback)
        }
    }

    extension OIDAuthState {
        /// Presents an authorization request in front of a window, and redeems its code.
        @discardableResult
        public static func authState(
            byPresenting authorizationRequest: OIDAuthorizationRequest,
            presenting presentingWindow: NSWindow,
            prefersEphemeralSession: Bool = false,
            callback: @escaping OIDAuthStateAuthorizationCallback
        ) -> any OIDExternalUserAgentSession {
            let userAgent = OIDExternalUserAgentMac(
                presenting: presentingWindow,
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
