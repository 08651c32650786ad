import OstiaryOAuth
import Synchronization

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
        let state: Secret?
        let answer: OneAnswer<Result<URL, SignInError>>
    }

    private let waiting = Mutex<[(id: Int, expectation: Expectation)]>([])
    private let nextID = Atomic(0)

    /// Makes one that nobody waits at yet.
    public init() {}

    /// Brings a URL to the sign-in that it answers.
    ///
    /// A URL that goes elsewhere, or that carries another `state` than the page that was opened, is left alone, and so is
    /// the sign-in.
    ///
    /// - Returns: Whether a sign-in took it; the app does with any other URL what it likes.
    public func handle(_ url: URL) -> Bool {
        let answer = waiting.withLock { waiting -> OneAnswer<Result<URL, SignInError>>? in
            guard let place = waiting.firstIndex(where: { Self.isAnswer(url, to: $0.expectation) }) else { return nil }
            return waiting.remove(at: place).expectation.answer
        }
        return answer?.set(.success(url)) ?? false
    }

    /// Awaits the redirect that ends a page; until ``forget(_:)``.
    func expect(
        _ redirectURI: RedirectURI,
        from page: URL,
        _ answer: OneAnswer<Result<URL, SignInError>>
    ) -> Int {
        let id = nextID.add(1, ordering: .relaxed).newValue
        let state = Self.state(of: page, answering: redirectURI)
        waiting.withLock {
            $0.append((id, Expectation(redirectURI: redirectURI, state: state, answer: answer)))
        }
        return id
    }

    /// Stops awaiting.
    func forget(_ id: Int) { waiting.withLock { $0.removeAll { $0.id == id } } }

    private static func isAnswer(_ url: URL, to expectation: Expectation) -> Bool {
        guard expectation.redirectURI.isDestination(of: url) else { return false }
        // A page that was pushed to the server shows no state; the redirect's own check compares it then.
        guard let state = expectation.state else { return true }
        guard let found = parameters(of: url)?.values(of: .state), !found.isEmpty else { return false }
        return found.allSatisfy { constantTimeEqual($0, state.reveal()) }
    }

    /// The `state` that the redirect will bring back; a page that names another redirect URI answers to somebody else, who
    /// then redirects here, and its `state` is theirs.
    private static func state(of page: URL, answering redirectURI: RedirectURI) -> Secret? {
        guard let parameters = parameters(of: page) else { return nil }
        let named = parameters[.redirectURI]
        guard named?.utf8.elementsEqual(redirectURI.description.utf8) ?? true else { return nil }
        return parameters[.state].map { Secret($0) }
    }

    private static func parameters(of url: URL) -> Parameters? {
        URIParts(url).flatMap { FormURLEncoding.decode($0.query ?? "") }
    }
}
