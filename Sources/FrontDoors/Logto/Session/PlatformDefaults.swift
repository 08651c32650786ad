import Ostiary
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    #if canImport(Security)
        /// The keychain.
        static func store() -> any SecretStore { SignInClient.defaultStore }
    #else
        /// A store in files in the user's own folders, sealed under a key that only this user can read.
        ///
        /// The XDG Base Directory Specification requires relative paths in its variables to be ignored.
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
    /// The cookies that the sign-in page uses.
    var browserSession: BrowserSession { prefersEphemeralWebBrowserSession ? .ephemeral : .shared }
}
