import Ostiary
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sees what a user agent brings, because the service's errors say more than the members that OAuth has.
///
/// What it sees nobody has checked; it is read only when the redirect was.
final class RedirectObserver: Sendable {
    private struct State {
        var awaited: RedirectURI?
        var redirect: URL?
        var refusedRedirectURI = false
        var failedToPresent = false
    }

    private let state = Mutex(State())

    /// Where the redirect goes, with the port filled in.
    var awaited: RedirectURI? { state.withLock { $0.awaited } }
    /// What came.
    var redirect: URL? { state.withLock { $0.redirect } }
    /// Whether the user agent cannot receive at the redirect URI; no page was shown then.
    var refusedRedirectURI: Bool { state.withLock { $0.refusedRedirectURI } }
    /// Whether the user agent could not show the page.
    var failedToPresent: Bool { state.withLock { $0.failedToPresent } }

    /// A user agent that does what another does.
    func watching(_ userAgent: any UserAgent) -> any UserAgent {
        ObservedUserAgent(userAgent: userAgent, observer: self)
    }

    private struct ObservedUserAgent: UserAgent {
        let userAgent: any UserAgent
        let observer: RedirectObserver

        func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
            let attempt: UserAgentAttempt
            do throws(SignInError) {
                attempt = try await userAgent.attempt(awaiting: redirectURI)
            } catch {
                if case .configuration = error.reason { observer.state.withLock { $0.refusedRedirectURI = true } }
                throw error
            }
            observer.state.withLock { $0.awaited = attempt.redirectURI }
            return UserAgentAttempt(
                redirectURI: attempt.redirectURI,
                open: { [observer] (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                    do throws(SignInError) {
                        let redirect = try await attempt.open(url, accepting: predicate)
                        observer.state.withLock { $0.redirect = redirect }
                        return redirect
                    } catch {
                        if case .configuration = error.reason { observer.state.withLock { $0.failedToPresent = true } }
                        throw error
                    }
                },
                abandon: { await attempt.abandon() }
            )
        }
    }
}
