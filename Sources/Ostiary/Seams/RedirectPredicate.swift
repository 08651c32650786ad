#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The test that tells the redirect that ends a page from every other URL.
///
/// The caller of ``UserAgentAttempt/open(_:accepting:)`` makes it, and a user agent that can go on listening drops what it
/// does not accept. It is the one definition of an answer: `PendingAuthorization.isAnswered(by:)` and
/// `PendingEndSession.isAnswered(by:)` are such tests.
public struct RedirectPredicate: Sendable {
    private let isAnswer: @Sendable (URL) -> Bool

    /// Makes a predicate.
    ///
    /// - Parameter isAnswer: Whether a URL at the redirect URI answers the page. It is called on any thread, may not block,
    ///   and may be called for several URLs.
    public init(_ isAnswer: @escaping @Sendable (URL) -> Bool) { self.isAnswer = isAnswer }

    /// Every URL at the redirect URI: for a page whose redirect carries nothing that the app made.
    public static let any = RedirectPredicate { _ in true }

    /// Whether a URL at the redirect URI answers the page.
    public func accepts(_ url: URL) -> Bool { isAnswer(url) }
}
