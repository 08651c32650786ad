import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The browser, with a note of when it is opened and of whether it could be.
struct WebLeg: UserAgent {
    let browser: any UserAgent
    let flows: LogiFlows

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let attempt: UserAgentAttempt
        do throws(SignInError) {
            attempt = try await browser.attempt(awaiting: redirectURI)
        } catch {
            flows.notePresentationFailure()
            throw error
        }
        let flows = flows
        return UserAgentAttempt(
            redirectURI: attempt.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                flows.move(to: .web)
                do throws(SignInError) {
                    return try await attempt.open(url, accepting: predicate)
                } catch {
                    switch error.reason {
                    case .configuration, .presentation: flows.notePresentationFailure()
                    default: break
                    }
                    throw error
                }
            },
            abandon: { await attempt.abandon() }
        )
    }
}
