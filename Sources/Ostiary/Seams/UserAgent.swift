public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Presents a page to the user and returns the redirect that ends it (RFC 8252 section 4.1).
///
/// Every user agent keeps these promises, and `UserAgentCheck` of the testing kit checks them:
///
/// - An attempt returns exactly one redirect.
/// - Cancelling the task ends the attempt and frees the port or window that it took.
/// - A user agent that can continue to listen drops each URL that the predicate does not accept, and waits on. A user
///   agent that gets one URL returns it, and the caller rejects it with the check that fails.
public protocol UserAgent: Sendable {
    /// Prepares to receive one redirect, before the URL to open exists.
    ///
    /// - Parameter redirectURI: The URI of the redirect. A loopback URI without a port leaves its choice to the user
    ///   agent, which names it in the attempt.
    /// - Returns: The attempt, which names the redirect URI to send.
    /// - Throws: `configuration` at stage `authorization` when it cannot receive at this URI.
    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt
}

/// One page that is presented to one user, awaiting one redirect.
public struct UserAgentAttempt: Sendable {
    /// The URI of the redirect, with the port filled in.
    public let redirectURI: RedirectURI
    private let opening: @Sendable (URL, RedirectPredicate) async throws(SignInError) -> URL
    private let abandoning: @Sendable () async -> Void

    /// Makes an attempt from a user agent's parts.
    ///
    /// - Parameters:
    ///   - redirectURI: The URI of the redirect.
    ///   - open: Presents a URL and returns the redirect. Called at most once. A user agent that can continue to listen
    ///     returns only a URL that the predicate accepts; one that gets a single URL returns that.
    ///   - abandon: Releases the resources of the preparation; called when `open` will never be called.
    public init(
        redirectURI: RedirectURI,
        open: @escaping @Sendable (URL, RedirectPredicate) async throws(SignInError) -> URL,
        abandon: @escaping @Sendable () async -> Void = {}
    ) {
        self.redirectURI = redirectURI
        self.opening = open
        self.abandoning = abandon
    }

    /// Presents a URL and returns the redirect, which is unchecked.
    ///
    /// - Parameters:
    ///   - url: The URL to open.
    ///   - predicate: Accepts the URL at the redirect URI that is the response to the page. The result need not meet
    ///     it: a user agent that gets a single URL returns that one.
    /// - Returns: The URL at the redirect URI, with its query.
    /// - Throws: At stage `authorization`: `cancelled` when the user closes the page or the task is cancelled,
    ///   `timedOut`, or `configuration` when no page can be presented.
    public func open(_ url: URL, accepting predicate: RedirectPredicate) async throws(SignInError) -> URL {
        try await opening(url, predicate)
    }

    /// Releases the resources of the preparation.
    ///
    /// Call it instead of ``open(_:accepting:)``, not after it.
    public func abandon() async { await abandoning() }
}
