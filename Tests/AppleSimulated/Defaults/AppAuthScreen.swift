import Foundation
import OstiaryAppAuth
// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
import SimulatedPlatform
import SimulatedWorld

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// A screen of an app that signs in with AppAuth's names: it stands in a window that is not the one in front.
@MainActor
final class AppAuthScreen {
    #if canImport(UIKit)
        private var presenter: UIViewController? = UIViewController()
        private let window: UIWindow
    #else
        private var presenter: NSWindow?
        private let window: ObjectIdentifier
    #endif

    init() {
        #if canImport(UIKit)
            let scene = UIApplication.simulated.simulateScene(.foregroundInactive)
            window = scene.windows[0]
            presenter?.view.simulateMove(to: window)
        #else
            let window = NSApplication.shared.simulateWindow(key: false)
            presenter = window
            self.window = ObjectIdentifier(window)
        #endif
    }

    /// Whether the sheet that is up, or was up last, is in the screen's own window.
    var hasTheSheet: Bool {
        #if canImport(UIKit)
            device.snapshot.web.window == ObjectIdentifier(window)
        #else
            device.snapshot.web.window == window
        #endif
    }

    /// AppAuth's user agent for the screen; `nil` means the initializer without a browser session.
    func userAgent(isPrivate: Bool? = nil) -> (any OIDExternalUserAgent)? {
        guard let presenter else { return nil }
        #if canImport(UIKit)
            guard let isPrivate else { return OIDExternalUserAgentIOS(presenting: presenter) }
            return OIDExternalUserAgentIOS(presenting: presenter, prefersEphemeralSession: isPrivate)
        #else
            guard let isPrivate else { return OIDExternalUserAgentMac(presenting: presenter) }
            return OIDExternalUserAgentMac(presenting: presenter, prefersEphemeralSession: isPrivate)
        #endif
    }

    /// "OIDAuthorizationService presentAuthorizationRequest:presenting…:callback:"
    func present(
        _ request: OIDAuthorizationRequest,
        callback: @escaping OIDAuthorizationCallback
    ) -> (any OIDExternalUserAgentSession)? {
        presenter.map { OIDAuthorizationService.present(request, presenting: $0, callback: callback) }
    }

    /// "OIDAuthorizationService presentAuthorizationRequest:presenting…:prefersEphemeralSession:callback:"
    func presentPrivately(
        _ request: OIDAuthorizationRequest,
        callback: @escaping OIDAuthorizationCallback
    ) -> (any OIDExternalUserAgentSession)? {
        presenter.map {
            OIDAuthorizationService.present(
                request,
                presenting: $0,
                prefersEphemeralSession: true,
                callback: callback
            )
        }
    }

    /// "OIDAuthState authStateByPresentingAuthorizationRequest:presenting…:callback:"
    func signIn(
        _ request: OIDAuthorizationRequest,
        callback: @escaping OIDAuthStateAuthorizationCallback
    ) -> (any OIDExternalUserAgentSession)? {
        presenter.map { OIDAuthState.authState(byPresenting: request, presenting: $0, callback: callback) }
    }

    /// "OIDAuthState authStateByPresentingAuthorizationRequest:presenting…:prefersEphemeralSession:callback:"
    func signInPrivately(
        _ request: OIDAuthorizationRequest,
        callback: @escaping OIDAuthStateAuthorizationCallback
    ) -> (any OIDExternalUserAgentSession)? {
        presenter.map {
            OIDAuthState.authState(
                byPresenting: request,
                presenting: $0,
                prefersEphemeralSession: true,
                callback: callback
            )
        }
    }

    /// The screen is gone, and nothing keeps it.
    ///
    /// - Returns: Whether nothing did.
    func close() -> Bool {
        weak var gone: AnyObject?
        gone = presenter
        #if canImport(AppKit) && !canImport(UIKit)
            presenter?.simulateClosed()
        #endif
        presenter = nil
        return gone == nil
    }

    #if canImport(UIKit)
        /// A screen whose view was never loaded: it stands in no window.
        static func userAgentOfAnUnloadedScreen() -> (any OIDExternalUserAgent, isStillUnloaded: @MainActor () -> Bool)?
        {
            let presenter = UIViewController()
            guard let userAgent = OIDExternalUserAgentIOS(presenting: presenter) else { return nil }
            return (userAgent, { !presenter.isViewLoaded })
        }
    #endif
}
