import Ostiary
import OstiaryOAuth

extension LogtoClient {
    /// Ends the session: here first, then the refresh token, then the tenant's own in the browser.
    ///
    /// - Parameter postLogoutRedirectUri: From the console; `nil` presents Logto's page, which the user closes.
    /// - Returns: The step that failed; `nil` when all succeeded. With `notAuthenticated`, `invalidRedirectUri` and
    ///   `unableToClearCredentials` nothing has changed; with every other the user is signed out here.
    @discardableResult
    public func signOut(postLogoutRedirectUri: String? = nil) async -> LogtoClientErrors.SignOut? {
        await ending { (session) async throws(SignInError) in
            try await session.signOut(returningTo: postLogoutRedirectUri)
        }
    }

    /// Ends the session here and revokes the refresh token.
    ///
    /// The browser keeps the tenant's own session, so that the next sign-in may need no interaction.
    ///
    /// - Returns: The step that failed, as ``signOut(postLogoutRedirectUri:)``.
    @discardableResult
    public func clearCredentials() async -> LogtoClientErrors.SignOut? {
        await ending { (session) async throws(SignInError) in try await session.clear() }
    }

    private func ending(
        _ signOut: (LogtoSession) async throws(SignInError) -> SignOutReport
    ) async -> LogtoClientErrors.SignOut? {
        let session: LogtoSession
        do throws(SignInError) {
            guard let current = try await current() else { return LogtoClientErrors.SignOut(type: .notAuthenticated) }
            session = current
        } catch {
            // Without a configuration there is no session.
            let type: LogtoClientErrorTypes.SignOut = logtoConfig == nil ? .notAuthenticated : .unableToClearCredentials
            return LogtoClientErrors.SignOut(type: type, innerError: error)
        }
        let report: SignOutReport
        do throws(SignInError) {
            report = try await signOut(session)
        } catch {
            return LogtoClientErrors.SignOut(
                type: error.stage == .storage ? .unableToClearCredentials : .invalidRedirectUri,
                innerError: error
            )
        }
        if let failure = report.endSessionFailure?.ofEndSession { return failure }
        guard let failure = report.revocationFailure else { return nil }
        let type: LogtoClientErrorTypes.SignOut =
            failure.stage == .discovery ? .unableToFetchOidcConfig : .unableToRevokeToken
        return LogtoClientErrors.SignOut(type: type, innerError: failure)
    }
}
