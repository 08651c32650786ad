import Foundation
public import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

/// Presents requests with a user agent of Ostiary's: on Linux the default browser, in tests a scripted one.
public final class OIDExternalUserAgentOstiary: OIDExternalUserAgent {
    private let userAgent: any UserAgent
    private let attempt = Lock<Task<Void, Never>?>(nil)

    /// Takes a user agent.
    ///
    /// - Parameter userAgent: Default: the one of this platform.
    public init(_ userAgent: any UserAgent = PlatformUserAgent()) { self.userAgent = userAgent }

    /// Presents a request; a page that does not open is reported to the session.
    ///
    /// - Returns: `true`, unless the request names no redirect URI.
    @MainActor
    public func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        guard let url = request.externalUserAgentRequestURL(), let redirectURI = Self.redirectURI(of: request) else {
            return false
        }
        let task = Task { [userAgent] in
            do throws(SignInError) {
                let attempt = try await userAgent.attempt(awaiting: redirectURI)
                let redirect = try await attempt.open(url, accepting: Self.predicate(for: request))
                let isTaken: Bool = session.resumeExternalUserAgentFlow(with: redirect)
                guard isTaken else { throw SignInError(.redirect, .mismatch(.redirectURI)) }
            } catch {
                session.failExternalUserAgentFlowWithError(error.appAuthError)
            }
        }
        attempt.withLock { $0 = task }
        return true
    }

    /// Takes the page away.
    @MainActor
    public func dismiss(animated: Bool, completion: @escaping () -> Void) {
        attempt.withLock { $0?.cancel() }
        completion()
    }

    /// Accepts the redirect with the request's state: a listener goes on waiting past any other.
    private static func predicate(for request: any OIDExternalUserAgentRequest) -> RedirectPredicate {
        let state: String? =
            switch request {
            case let request as OIDAuthorizationRequest: request.state
            case let request as OIDEndSessionRequest: request.state
            default: nil
            }
        guard let state else { return .any }
        return RedirectPredicate { $0.queryParameters["state"].map { constantTimeEqual($0, state) } ?? false }
    }

    private static func redirectURI(of request: any OIDExternalUserAgentRequest) -> RedirectURI? {
        let url: URL? =
            switch request {
            case let request as OIDAuthorizationRequest: request.redirectURL
            case let request as OIDEndSessionRequest: request.postLogoutRedirectURL
            default: request.redirectScheme().flatMap { URL(string: $0 + ":/") }
            }
        return url.flatMap { try? RedirectURI($0.absoluteString) }
    }
}
