public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Asks the provider's own app first, and another user agent when that app is not there.
///
/// Whichever shows the page, a redirect that the app is opened with ends it: a link may come back by the system rather
/// than by the browser that showed the page (RFC 8252 section 7.2).
public struct AppHandoff: UserAgent {
    private let redirects: ForwardedRedirects
    private let opener: @Sendable (URL) async -> Bool
    private let rewriting: @Sendable (URL) -> URL?
    private let returning: AppReturn
    private let otherwise: any UserAgent

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - redirects: Where the app brings the URLs that it is opened with.
    ///   - opener: Opens a URL in the app that claims it, and in no browser; `false` when there is none.
    ///   - rewriting: The page's URL as the provider's app takes it; `nil` leaves the app out.
    ///   - returning: What is done when the person comes back from the provider's app without an answer. Default: nothing,
    ///     so that the sign-in goes on until its deadline.
    ///   - otherwise: What shows the page when the app does not.
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

    /// Gets ready to receive a redirect from the app or from the other user agent.
    ///
    /// - Throws: What the other user agent throws.
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
        // Heard from before the app is opened: it may answer at once.
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
        // However it was answered, what the page took is given back before anybody goes on.
        page.cancel()
        await page.value
        return try result.get()
    }
}
