public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Shows a page to the user and returns the redirect that ends it (RFC 8252 section 4.1).
///
/// Every user agent keeps these promises, and `UserAgentCheck` of the testing kit checks them:
///
/// - An attempt returns exactly one redirect.
/// - Cancelling the task ends the attempt and frees the port or window that it took.
/// - A user agent that can go on listening drops each URL that the predicate does not accept, and goes on waiting. A user
///   agent that gets one URL returns it, and the caller refuses it with the check that fails.
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
    private let opening: @Sendable (URL, RedirectPredicate) async throws(SignInError) -> URL
    private let abandoning: @Sendable () async -> Void

    /// Makes an attempt of a user agent's parts.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the redirect will go.
    ///   - open: Shows a URL and returns the redirect. Called at most once. A user agent that can go on listening returns
    ///     only what the predicate accepts; one that gets a single URL returns that.
    ///   - abandon: Gives back what getting ready took; called when `open` never will be.
    public init(
        redirectURI: RedirectURI,
        open: @escaping @Sendable (URL, RedirectPredicate) async throws(SignInError) -> URL,
        abandon: @escaping @Sendable () async -> Void = {}
    ) {
        self.redirectURI = redirectURI
        self.opening = open
        self.abandoning = abandon
    }

    /// Shows a URL and returns the redirect, which is unchecked.
    ///
    /// - Parameter predicate: Which URL at the redirect URI answers the page. The result need not meet it: a user agent that
    ///   gets a single URL returns that one.
    /// - Throws: At stage `authorization`: `cancelled` when the person closes the page or the task is cancelled,
    ///   `timedOut`, or `configuration` when no page can be shown.
    public func open(_ url: URL, accepting predicate: RedirectPredicate) async throws(SignInError) -> URL {
        try await opening(url, predicate)
    }

    /// Gives back what getting ready took.
    ///
    /// Call it instead of ``open(_:accepting:)``, not after it.
    public func abandon() async { await abandoning() }
}
