import OstiaryCompatibility
import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Passes the URLs that an app is opened with to the sign-ins that await them.
///
/// An app needs one, made before the first sign-in. It calls ``handle(_:)`` with every URL that it is opened with.
public final class ForwardedRedirects: Sendable {
    private struct Expectation {
        let redirectURI: RedirectURI
        let predicate: RedirectPredicate
        let answer: OneAnswer<Result<URL, SignInError>>
    }

    private let waiting = Lock<[(id: Int, expectation: Expectation)]>([])
    private let nextID = Lock(0)

    /// Makes a receiver that no sign-in waits for yet.
    public init() {}

    /// Passes a URL to the sign-in that awaits it.
    ///
    /// A URL with another destination, or one that does not answer the page that was opened, is ignored and does not
    /// affect the sign-in.
    ///
    /// - Returns: Whether a sign-in took it; every other URL is the app's own.
    public func handle(_ url: URL) -> Bool {
        // A nested user agent may wait here as well: the URL answers the page of both.
        let answered = waiting.withLock { waiting in
            let answered = waiting.filter { Self.isAnswer(url, to: $0.expectation) }
            waiting.removeAll { entry in answered.contains { $0.id == entry.id } }
            return answered
        }
        return answered.map { $0.expectation.answer.set(.success(url)) }.contains(true)
    }

    /// Awaits the redirect that ends a page, until ``forget(_:)`` is called.
    func expect(
        _ redirectURI: RedirectURI,
        accepting predicate: RedirectPredicate,
        _ answer: OneAnswer<Result<URL, SignInError>>
    ) -> Int {
        let id = nextID.withLock { count in
            count += 1
            return count
        }
        waiting.withLock {
            $0.append((id, Expectation(redirectURI: redirectURI, predicate: predicate, answer: answer)))
        }
        return id
    }

    /// Stops awaiting the redirect.
    func forget(_ id: Int) { waiting.withLock { $0.removeAll { $0.id == id } } }

    private static func isAnswer(_ url: URL, to expectation: Expectation) -> Bool {
        expectation.redirectURI.isDestination(of: url) && expectation.predicate.accepts(url)
    }
}
