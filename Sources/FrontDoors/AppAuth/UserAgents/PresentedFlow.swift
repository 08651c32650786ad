import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryOAuth

/// A page in a user agent and the one redirect that answers it.
final class PresentedFlow<Response: Sendable>: ResumableFlow {
    typealias Callback = @MainActor @Sendable (Response?, (any Error)?) -> Void

    private let request: any OIDExternalUserAgentRequest
    private let redirectURI: RedirectURI?
    private let read: @Sendable (URL, RedirectURI) throws(SignInError) -> Response
    private let waiting: Lock<Waiting?>

    private struct Waiting: Sendable {
        let userAgent: any OIDExternalUserAgent
        let callback: Callback
    }

    /// Makes a flow; `read` checks the redirect.
    ///
    /// `redirectURI` is `nil` for a request that cannot be presented.
    init(
        _ request: any OIDExternalUserAgentRequest,
        redirectURI: RedirectURI?,
        in userAgent: any OIDExternalUserAgent,
        reading read: @escaping @Sendable (URL, RedirectURI) throws(SignInError) -> Response,
        callback: @escaping Callback
    ) {
        self.request = request
        self.redirectURI = redirectURI
        self.read = read
        waiting = Lock(Waiting(userAgent: userAgent, callback: callback))
    }

    /// Presents the page: at once on the main thread, and as soon as may be from any other.
    func present() {
        guard Thread.isMainThread else { return onMain { self.presentNow() } }
        MainActor.assumeIsolated { presentNow() }
    }

    @MainActor
    private func presentNow() {
        guard let userAgent = waiting.withLock({ $0?.userAgent }) else { return }
        guard !userAgent.present(request, session: self) else { return }
        let error = OIDErrorUtilities.error(
            with: .ofPresentation,
            underlyingError: nil,
            description: "The user agent could not show the page."
        )
        end(.failure(error))
    }

    func cancel() { cancel(completion: nil) }

    func cancel(completion: (@MainActor @Sendable () -> Void)?) {
        let error = OIDErrorUtilities.error(
            with: .userCanceledAuthorizationFlow,
            underlyingError: nil,
            description: "The app cancelled the flow."
        )
        dismissThenEnd(.failure(error), completion)
    }

    @_disfavoredOverload
    func resumeExternalUserAgentFlow(with url: URL) -> Bool { (try? resume(with: url)) != nil }

    func failExternalUserAgentFlowWithError(_ error: any Error) { end(.failure(error)) }

    func resume(with url: URL) throws {
        guard let redirectURI, (try? AuthorizationRedirect(url, to: redirectURI)) != nil else {
            throw OIDErrorUtilities.error(
                with: .urlMismatch,
                underlyingError: nil,
                description: "The URL is not for this flow's redirect URI."
            )
        }
        let result: Result<Response, any Error>
        do throws(SignInError) {
            result = .success(try read(url, redirectURI))
        } catch {
            result = .failure(error.appAuthError)
        }
        guard dismissThenEnd(result, nil) else {
            throw OIDErrorUtilities.error(
                with: .invalidAuthorizationFlow,
                underlyingError: nil,
                description: "The flow has ended already."
            )
        }
    }

    /// Takes the page away, and then calls the callback.
    ///
    /// - Returns: Whether the flow was waiting.
    @discardableResult
    private func dismissThenEnd(
        _ result: Result<Response, any Error>,
        _ completion: (@MainActor @Sendable () -> Void)?
    ) -> Bool {
        let ended = waiting.withLock { waiting -> Waiting? in
            defer { waiting = nil }
            return waiting
        }
        guard let ended else {
            if let completion { onMain(completion) }
            return false
        }
        onMain {
            ended.userAgent.dismiss(animated: true) {
                onMain {
                    Self.call(ended.callback, result)
                    completion?()
                }
            }
        }
        return true
    }

    private func end(_ result: Result<Response, any Error>) {
        let ended = waiting.withLock { waiting -> Waiting? in
            defer { waiting = nil }
            return waiting
        }
        guard let ended else { return }
        onMain { Self.call(ended.callback, result) }
    }

    @MainActor
    private static func call(_ callback: Callback, _ result: Result<Response, any Error>) {
        switch result {
        case .success(let response): callback(response, nil)
        case .failure(let error): callback(nil, error)
        }
    }
}
