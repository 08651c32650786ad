import OstiaryCompatibility
import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Takes the URLs that the system hands to an app, and brings each to the sign-in that waits for it.
///
/// One for an app is enough, made before the first sign-in; the app calls ``handle(_:)`` with every URL that it is
/// opened with.
public final class ForwardedRedirects: Sendable {
    private struct Expectation {
        let redirectURI: RedirectURI
        let predicate: RedirectPredicate
        let answer: OneAnswer<Result<URL, SignInError>>
    }

    private let waiting = Lock<[(id: Int, expectation: Expectation)]>([])
    private let nextID = Lock(0)

    /// Makes one that nobody waits at yet.
    public init() {}

    /// Brings a URL to the sign-in that it answers.
    ///
    /// A URL that goes elsewhere, or that is not the answer to the page that was opened, is left alone, and so is the
    /// sign-in.
    ///
    /// - Returns: Whether a sign-in took it; the app does with any other URL what it likes.
    public func handle(_ url: URL) -> Bool {
        // A user agent inside another one may wait here, too: both have the page that the URL answers.
        let answered = waiting.withLock { waiting in
            let answered = waiting.filter { Self.isAnswer(url, to: $0.expectation) }
            waiting.removeAll { entry in answered.contains { $0.id == entry.id } }
            return answered
        }
        return answered.map { $0.expectation.answer.set(.success(url)) }.contains(true)
    }

    /// Awaits the redirect that ends a page; until ``forget(_:)``.
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

    /// Stops awaiting.
    func forget(_ id: Int) { waiting.withLock { $0.removeAll { $0.id == id } } }

    private static func isAnswer(_ url: URL, to expectation: Expectation) -> Bool {
        expectation.redirectURI.isDestination(of: url) && expectation.predicate.accepts(url)
    }
}
