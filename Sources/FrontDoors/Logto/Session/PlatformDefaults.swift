import Ostiary
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a sign-in works with when the app does not say.
enum PlatformDefaults {
    /// Where the platform's user agent can receive an answer.
    ///
    /// A Mac's app has both; its own scheme is the one that needs no port.
    static var redirectURI: String {
        #if canImport(AuthenticationServices)
            "io.logto.app://callback"
        #else
            "http://127.0.0.1/callback"
        #endif
    }

    #if canImport(Security)
        /// The keychain.
        static func store() -> any SecretStore { SignInClient.defaultStore }
    #else
        /// Files in the person's own folders, sealed under a key that only this user reads.
        ///
        /// The XDG Base Directory Specification asks to ignore relative paths in its variables.
        static func store() -> any SecretStore {
            func base(_ variable: String, _ fallback: String) -> URL {
                if let path = ProcessInfo.processInfo.environment[variable], path.hasPrefix("/") {
                    return URL(filePath: path)
                }
                return URL.homeDirectory.appending(path: fallback)
            }
            return FileStore(
                directory: base("XDG_STATE_HOME", ".local/state").appending(path: "ostiary-logto"),
                key: .file(at: base("XDG_CONFIG_HOME", ".config").appending(path: "ostiary-logto/store.key"))
            )
        }
    #endif
}

extension LogtoConfig {
    /// Whose cookies the sign-in page has.
    var browserSession: BrowserSession { prefersEphemeralWebBrowserSession ? .ephemeral : .shared }
}
