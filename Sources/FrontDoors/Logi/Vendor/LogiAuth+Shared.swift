public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension LogiAuth {
    /// Takes the process's configuration.
    public static func configure(_ config: LogiAuthConfig, on platform: LogiAuthPlatform = .current) {
        shared.configure(config, on: platform)
    }

    /// Signs the user in; see ``signIn(scopes:)-(_)``.
    @discardableResult
    public static func signIn(scopes: [String]? = nil) async throws(LogiAuthError) -> LogiSession {
        try await shared.signIn(scopes: scopes)
    }

    /// Presents a page of the app's own backend.
    public static func authorize(
        startURL: URL,
        nativeStartURL: URL? = nil
    ) async throws(LogiAuthError) -> LogiCallback {
        try await shared.authorize(startURL: startURL, nativeStartURL: nativeStartURL)
    }

    /// Takes a URL that the app was opened with.
    @discardableResult
    public static func handle(_ url: URL) -> Bool { shared.handle(url) }

    /// Ends the sign-in that is in progress.
    @discardableResult
    public static func cancel() -> Bool { shared.cancel() }

    /// Ends a sign-in that the user has left in the provider's app.
    @discardableResult
    public static func cancelAbandonedHandoff() async -> Bool { await shared.cancelAbandonedHandoff() }

    /// The app in which the user signs in.
    public static var handoffKind: LogiFlow.Leg? { shared.handoffKind }

    /// The session of the last sign-in or refresh.
    public static var lastSession: LogiSession? { shared.lastSession }

    /// Finishes a sign-in that a termination of the app interrupted.
    public static func resume(from url: URL) async throws(LogiAuthError) -> LogiSession? {
        try await shared.resume(from: url)
    }

    /// Returns a valid access token.
    public static func accessToken() async throws(LogiAuthError) -> Secret { try await shared.accessToken() }

    /// Continues a session from its refresh token.
    @discardableResult
    public static func adopt(refreshToken: Secret) async throws(LogiAuthError) -> LogiSession {
        try await shared.adopt(refreshToken: refreshToken)
    }

    /// Renews the tokens now.
    @discardableResult
    public static func refresh() async throws(LogiAuthError) -> LogiSession { try await shared.refresh() }

    /// Ends the session.
    public static func signOut() async throws(LogiAuthError) { try await shared.signOut() }

    /// The refresh token.
    public static func currentRefreshToken() async throws(LogiAuthError) -> Secret? {
        try await shared.currentRefreshToken()
    }

    /// Ends this app's connection with the account, and then the session.
    public static func disconnectApp(pak: Secret) async -> Bool { await shared.disconnectApp(pak: pak) }
}
