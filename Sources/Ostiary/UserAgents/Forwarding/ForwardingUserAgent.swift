public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Opens pages with a function that does not report their end, and takes the redirect from the app.
///
/// It is for a system whose browser passes the redirect to the app as a URL that the app is opened with.
public struct ForwardingUserAgent: UserAgent {
    private let redirects: ForwardedRedirects
    private let opening: @Sendable (URL) async throws(SignInError) -> Void
    private let closing: @Sendable () async -> Void

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - redirects: The receiver of the URLs that the app is opened with.
    ///   - opening: Presents a page, and returns as soon as it is visible.
    ///   - closing: Closes the page, after its redirect and when the sign-in is cancelled.
    public init(
        _ redirects: ForwardedRedirects,
        opening: @escaping @Sendable (URL) async throws(SignInError) -> Void,
        closing: @escaping @Sendable () async -> Void = {}
    ) {
        self.redirects = redirects
        self.opening = opening
        self.closing = closing
    }

    /// Prepares for any redirect URI.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        UserAgentAttempt(
            redirectURI: redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                try await open(url, awaiting: redirectURI, accepting: predicate)
            }
        )
    }

    private func open(
        _ url: URL,
        awaiting redirectURI: RedirectURI,
        accepting predicate: RedirectPredicate
    ) async throws(SignInError) -> URL {
        let answer = OneAnswer<Result<URL, SignInError>>()
        let id = redirects.expect(redirectURI, accepting: predicate, answer)
        defer { redirects.forget(id) }
        try await opening(url)
        let result = await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.set(.failure(SignInError(.authorization, .cancelled)))
        }
        await closing()
        return try result.get()
    }
}

extension UserAgent {
    /// Returns a user agent that also takes the redirect as a URL that the app is opened with.
    ///
    /// The redirect may reach the app by the system, not by the browser that presents the page (RFC 8252 section 7.2).
    /// The user may open a universal link from another browser, for example. The page is then closed.
    ///
    /// - Parameter redirects: The receiver of the URLs that the app is opened with, see
    ///   ``ForwardedRedirects/handle(_:)``.
    /// - Returns: The user agent, which takes the redirect from either side.
    public func expecting(_ redirects: ForwardedRedirects) -> AppHandoff {
        AppHandoff(redirects, opener: { _ in false }, rewriting: { _ in nil }, otherwise: self)
    }
}
