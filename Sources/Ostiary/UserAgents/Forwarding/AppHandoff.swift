public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Opens the provider's own app first, or another user agent when that app is not installed.
///
/// In either case, a redirect that the app is opened with ends the page. The system may deliver that redirect, instead
/// of the browser that presented the page (RFC 8252 section 7.2).
public struct AppHandoff: UserAgent {
    private let redirects: ForwardedRedirects
    private let opener: @Sendable (URL) async -> Bool
    private let rewriting: @Sendable (URL) -> URL?
    private let returning: AppReturn
    private let otherwise: any UserAgent

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - redirects: The receiver of the URLs that the app is opened with.
    ///   - opener: Opens a URL in the app that claims it, and in no browser; returns `false` when no app claims it.
    ///   - rewriting: Returns the page's URL as the provider's app claims it; `nil` skips the app.
    ///   - returning: The reaction to a user who returns from the provider's app without a redirect. Default: none, so
    ///     that the sign-in continues until its deadline.
    ///   - otherwise: The user agent that presents the page when the app does not.
    public init(
        _ redirects: ForwardedRedirects,
        opener: @escaping @Sendable (URL) async -> Bool,
        rewriting: @escaping @Sendable (URL) -> URL? = { $0 },
        returning: AppReturn = .ignored,
        otherwise: any UserAgent
    ) {
        self.redirects = redirects
        self.opener = opener
        self.rewriting = rewriting
        self.returning = returning
        self.otherwise = otherwise
    }

    /// Prepares to receive a redirect from the app or from the other user agent.
    ///
    /// - Throws: The errors of the other user agent.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let fallback = try await otherwise.attempt(awaiting: redirectURI)
        return UserAgentAttempt(
            redirectURI: fallback.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                try await open(url, accepting: predicate, or: fallback)
            },
            abandon: { await fallback.abandon() }
        )
    }

    private func open(
        _ url: URL,
        accepting predicate: RedirectPredicate,
        or fallback: UserAgentAttempt
    ) async throws(SignInError) -> URL {
        let answer = OneAnswer<Result<URL, SignInError>>()
        let id = redirects.expect(fallback.redirectURI, accepting: predicate, answer)
        defer { redirects.forget(id) }
        // Subscribed before the app is opened, which may respond at once.
        let returns = returning.moments()
        let isWithApp = if let native = rewriting(url) { await opener(native) } else { false }
        let page = Task { [returning] in
            if isWithApp {
                switch await returning.decision(after: returns) {
                case .wait: return await fallback.abandon()
                case .cancel:
                    await fallback.abandon()
                    answer.set(.failure(SignInError(.authorization, .cancelled)))
                    return
                case .openOtherwise: break
                }
            }
            do throws(SignInError) {
                answer.set(.success(try await fallback.open(url, accepting: predicate)))
            } catch {
                answer.set(.failure(error))
            }
        }
        let result = await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.set(.failure(SignInError(.authorization, .cancelled)))
        }
        // Whatever the answer, the page's resources are released before the caller continues.
        page.cancel()
        await page.value
        return try result.get()
    }
}
