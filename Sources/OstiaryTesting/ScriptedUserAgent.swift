public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A user agent that returns the redirect that a test makes, whether or not it is the response to the page.
///
///     let userAgent = ScriptedUserAgent { url, redirectURI in URL(string: "\(redirectURI)?code=c&state=…")! }
public struct ScriptedUserAgent: UserAgent {
    private let port: Int?
    private let answer: @Sendable (URL, RedirectURI) async throws(SignInError) -> URL

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - port: Added to a loopback redirect URI without a port, as a listener would. Default: none is added.
    ///   - answer: Receives the URL to open and the redirect URI; returns the redirect, or throws the error that ends
    ///     the attempt.
    public init(
        port: Int? = nil,
        answer: @escaping @Sendable (URL, RedirectURI) async throws(SignInError) -> URL
    ) {
        self.port = port
        self.answer = answer
    }

    /// Accepts any redirect URI.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        var awaited = redirectURI
        if let port, redirectURI.port == nil { awaited = redirectURI.withPort(port) ?? redirectURI }
        let settled = awaited
        return UserAgentAttempt(
            redirectURI: settled,
            open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                let redirect = try await answer(url, settled)
                guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
                return redirect
            }
        )
    }
}
