import Ostiary
import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Records the redirect that a user agent receives, because the service's errors have more members than OAuth's.
///
/// The recorded redirect is unchecked; it is read only after the redirect has been checked.
final class RedirectObserver: Sendable {
    private struct State {
        var awaited: RedirectURI?
        var redirect: URL?
        var refusedRedirectURI = false
        var failedToPresent = false
    }

    private let state = Lock(State())

    /// The awaited redirect URI, with the port filled in.
    var awaited: RedirectURI? { state.withLock { $0.awaited } }
    /// The received redirect.
    var redirect: URL? { state.withLock { $0.redirect } }
    /// Whether the user agent cannot receive at the redirect URI; no page was then presented.
    var refusedRedirectURI: Bool { state.withLock { $0.refusedRedirectURI } }
    /// Whether the user agent failed to present the page.
    var failedToPresent: Bool { state.withLock { $0.failedToPresent } }

    /// A user agent that forwards to another.
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
                        switch error.reason {
                        case .configuration: observer.state.withLock { $0.failedToPresent = true }
                        // The sheet says so when it is to go up.
                        case .presentation(.associatedDomainMissing):
                            observer.state.withLock { $0.refusedRedirectURI = true }
                        default: break
                        }
                        throw error
                    }
                },
                abandon: { await attempt.abandon() }
            )
        }
    }
}
