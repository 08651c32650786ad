public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension BackendClient {
    /// Signs the user in on the backend's page.
    ///
    /// - Parameters:
    ///   - redirectURI: The app's redirect URI, which the backend's client or its `app_redirect_uri` names.
    ///   - userAgent: The user agent that presents the page. Default: the platform's.
    ///   - deadline: The time limit for the user. Default: ten minutes, the backend's own.
    /// - Returns: The backend's session, whose handle is stored.
    /// - Throws: The errors of ``start()``, of ``finish(code:state:issuer:)`` and of the user agent. At stage
    ///   `redirect`: `refused` when the issuer sent an error; `mismatch` for another `state` or a repeated parameter;
    ///   `malformed` without a code. An earlier session is kept.
    public func signIn(
        redirectingTo redirectURI: String,
        userAgent: any UserAgent = PlatformUserAgent(),
        deadline: Duration = .seconds(600)
    ) async throws(SignInError) -> BackendSession {
        let attempt = try await userAgent.attempt(awaiting: try RedirectURI(redirectURI))
        let page: BackendClient.SignInPage
        do throws(SignInError) { page = try await start() } catch {
            await attempt.abandon()
            throw error
        }
        let expected = attempt.redirectURI
        let sentState = page.state
        let url = try await attempt.open(
            page.url,
            accepting: RedirectPredicate { url in
                guard let found = (try? AuthorizationRedirect(url, to: expected))?.single(.state) else { return false }
                return Secret(found) == sentState
            },
            within: deadline
        )
        let redirect = try AuthorizationRedirect(url, to: expected)
        guard !redirect.repeats([.state, .issuer, .code, .error]) else {
            throw SignInError(.redirect, .mismatch(.repeatedParameter))
        }
        guard redirect.single(.state).map({ Secret($0) == sentState }) ?? false else {
            throw SignInError(.redirect, .mismatch(.state))
        }
        if let error = redirect.error { throw SignInError(.redirect, .refused(error)) }
        guard let code = redirect.single(.code), !code.isEmpty else { throw SignInError(.redirect, .malformed("code")) }
        return try await finish(code: Secret(code), state: sentState, issuer: redirect.single(.issuer))
    }
}
