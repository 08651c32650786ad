import Foundation
import OstiarySwiftUI

/// The parts that sign-ins are made of: the device's own, unless a test replaces them.
struct AppEnvironment: Sendable {
    /// Shows sign-in pages.
    var userAgent: any UserAgent
    /// Opens a universal link in the app that claims it.
    var opener: @Sendable (URL) async -> Bool
    /// Receives the URLs that the app is opened with.
    var redirects = ForwardedRedirects()
    /// Carries requests.
    var transport: any HTTPTransport = URLSessionTransport()
    /// Keeps sessions.
    var store: any SecretStore = SignInClient.defaultStore
    /// The device's clocks.
    var clock = DeviceClock.system
    /// The form for a new user of a provider.
    var form = RegistrationForm()

    /// The system's sheet at a window.
    init(window: SignInWindow) {
        userAgent = PlatformUserAgent(window: .views(window))
        opener = AppHandoff.systemOpener
    }

    /// The user agent with a private sheet, where it is the platform's.
    var privateUserAgent: any UserAgent {
        guard var platform = userAgent as? PlatformUserAgent else { return userAgent }
        platform.browserSession = .ephemeral
        return platform
    }
}
