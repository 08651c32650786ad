import Ostiary
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What shows the sign-in page when the app does not say.
struct PlatformUserAgent: UserAgent {
    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        #if os(Linux) || os(macOS)
            return try await LoopbackBrowser(appName: "the app").attempt(awaiting: redirectURI)
        #else
            throw SignInError(
                .authorization,
                .configuration("Give a user agent: there is no default on this platform yet.")
            )
        #endif
    }

    /// Where the platform's user agent can receive an answer.
    static var redirectURI: String {
        #if os(Linux) || os(macOS)
            "http://127.0.0.1/callback"
        #else
            "io.logto.app://callback"
        #endif
    }
}

/// What keeps sessions when the app does not say.
enum PlatformStore {
    /// Files in the person's own folders, sealed under a key that only this user reads.
    ///
    /// The XDG Base Directory Specification asks to ignore relative paths in its variables.
    static func open() -> any SecretStore {
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
}
