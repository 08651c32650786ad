public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Shows a page to a person and returns the redirect that ends it (RFC 8252 section 4.1).
///
/// What every user agent promises, and `UserAgentCheck` of the testing kit checks: an attempt answers exactly once;
/// cancelling the task ends it, and whatever it took (a port, a window) is free again; what comes back is a URL that
/// nobody has looked into.
public protocol UserAgent: Sendable {
    /// Gets ready to receive one redirect, before the URL to open exists.
    ///
    /// - Parameter redirectURI: Where the redirect will go. A loopback URI without a port leaves its choice to the user
    ///   agent, which names it in the attempt.
    /// - Throws: `configuration` at stage `authorization` when it cannot receive at this URI.
    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt
}

/// One page shown to one person, awaiting one redirect.
public struct UserAgentAttempt: Sendable {
    /// Where the redirect will go, with the port filled in.
    public let redirectURI: RedirectURI
    private let opening: @Sendable (URL) async throws(SignInError) -> URL
    private let abandoning: @Sendable () async -> Void

    /// Makes an attempt of a user agent's parts.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the redirect will go.
    ///   - open: Shows a URL and returns the redirect. Called at most once.
    ///   - abandon: Gives back what getting ready took; called when `open` never will be.
    public init(
        redirectURI: RedirectURI,
        open: @escaping @Sendable (URL) async throws(SignInError) -> URL,
        abandon: @escaping @Sendable () async -> Void = {}
    ) {
        self.redirectURI = redirectURI
        self.opening = open
        self.abandoning = abandon
    }

    /// Shows a URL and returns the redirect, which nobody has looked into yet.
    ///
    /// - Throws: At stage `authorization`: `cancelled` when the person closes the page or the task is cancelled,
    ///   `timedOut`, or `configuration` when no page can be shown.
    public func open(_ url: URL) async throws(SignInError) -> URL { try await opening(url) }

    /// Gives back what getting ready took.
    ///
    /// Call it instead of ``open(_:)``, not after it.
    public func abandon() async { await abandoning() }
}
