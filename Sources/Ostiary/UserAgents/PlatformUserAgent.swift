public import OstiaryOAuth

/// The user agent of the platform, chosen by the redirect URI.
///
/// On iOS, iPadOS, visionOS and Mac Catalyst it is the system's sheet. On a Mac it is the sheet as well, unless the
/// redirect URI is on loopback: then it is the default browser with a listener, as on Linux. Apple TV and Apple Watch
/// present no page; their users sign in on another device.
public struct PlatformUserAgent: UserAgent {
    /// The cookies of the page: the browser's, or none.
    ///
    /// A copy with another value keeps the window. A browser outside of the app has its own cookies.
    public var browserSession: BrowserSession
    #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
        private var window = PresentationWindow.frontmost
    #endif
    #if os(Linux) || os(macOS)
        private let loopback: LoopbackBrowser
    #endif

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - appName: The name on the page that ends the browser's part on Linux and on a Mac: "Return to …".
    ///   - browserSession: The cookies of the page; a browser outside of the app has its own.
    public init(appName: String = "the app", browserSession: BrowserSession = .shared) {
        self.browserSession = browserSession
        #if os(Linux) || os(macOS)
            loopback = LoopbackBrowser(appName: appName)
        #endif
    }

    #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
        /// Makes a user agent whose sheet is presented at a window of the app's choice.
        ///
        /// - Parameters:
        ///   - appName: The name on the page that ends the browser's part on a Mac: "Return to …".
        ///   - browserSession: The cookies of the page; a browser outside of the app has its own.
        ///   - window: The window that presents the sheet; a browser outside of the app needs none.
        public init(
            appName: String = "the app",
            browserSession: BrowserSession = .shared,
            window: PresentationWindow
        ) {
            self.init(appName: appName, browserSession: browserSession)
            self.window = window
        }
    #endif

    /// Prepares for a redirect.
    ///
    /// - Throws: `configuration` at stage `authorization` for a redirect URI that this platform cannot receive, and on
    ///   a platform without a browser.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
            #if canImport(AppKit) && !canImport(UIKit)
                if redirectURI.isLoopback { return try await loopback.attempt(awaiting: redirectURI) }
            #endif
            return try await WebAuthenticationUserAgent(browserSession: browserSession, window: window)
                .attempt(awaiting: redirectURI)
        #elseif os(Linux) || os(macOS)
            return try await loopback.attempt(awaiting: redirectURI)
        #else
            throw SignInError(
                .authorization,
                .configuration("This device shows no sign-in page: use signInOnOtherDevice, or give a user agent.")
            )
        #endif
    }
}

/// The cookies of a sign-in page.
public enum BrowserSession: Sendable, Hashable {
    /// The cookies of the user's browser: a user who is signed in there need not sign in again.
    ///
    /// The system may ask the user first.
    case shared
    /// No cookies, and none are kept: the system does not ask, and leaves no browser session to sign out of.
    case ephemeral
}
