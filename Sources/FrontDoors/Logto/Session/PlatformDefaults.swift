import Ostiary

/// The platform's defaults for a sign-in.
enum PlatformDefaults {
    /// The redirect URI that the platform's user agent can receive.
    ///
    /// An app on macOS supports both kinds; its own scheme needs no port.
    static var redirectURI: String {
        #if canImport(AuthenticationServices)
            "io.logto.app://callback"
        #else
            "http://127.0.0.1/callback"
        #endif
    }
}

extension LogtoConfig {
    /// The cookies that the sign-in page uses.
    var browserSession: BrowserSession { prefersEphemeralWebBrowserSession ? .ephemeral : .shared }
}
