package import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A predicate that accepts the redirect for one page and no other URL.
///
/// The caller of ``UserAgentAttempt/open(_:accepting:)`` makes it. A user agent that can go on listening drops every
/// URL that the predicate does not accept. A sign-in makes it from `PendingAuthorization.isAnswered(by:)`, a sign-out
/// from `PendingEndSession.isAnswered(by:)`.
public struct RedirectPredicate: Sendable {
    private let isAnswer: @Sendable (URL) -> Bool

    /// Makes a predicate.
    ///
    /// - Parameter isAnswer: Whether a URL at the redirect URI is the redirect for the page. The user agent may call
    ///   the closure on any thread and for several URLs; it must not block.
    public init(_ isAnswer: @escaping @Sendable (URL) -> Bool) { self.isAnswer = isAnswer }

    /// Accepts every URL at the redirect URI, for a page whose redirect carries nothing that the app made.
    public static let any = RedirectPredicate { _ in true }

    /// Whether a URL at the redirect URI is the redirect for the page.
    public func accepts(_ url: URL) -> Bool { isAnswer(url) }
}

extension RedirectURI {
    /// Whether a URL goes to this redirect URI, whatever its query.
    ///
    /// The check of the redirect makes the same comparison (RFC 9700 section 4.1.3). This one comes early enough to
    /// ignore an unrelated URL.
    package func isDestination(of url: URL) -> Bool {
        guard let given = URIParts(url) else { return false }
        return given.scheme == parts.scheme && given.authority?.userInfo == nil
            && given.authority?.host == parts.authority?.host && given.effectivePort == parts.effectivePort
            && (given.path == parts.path || (given.path + parts.path == "/" && given.authority != nil))
    }
}
