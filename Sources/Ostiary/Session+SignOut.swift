public import OstiaryOAuth

extension Session {
    /// Ends the session: here first, then at the provider.
    ///
    /// What is stored is removed before anything is sent, and every other object of this session that the client gave out
    /// ends with it. The refresh token is then revoked, and, if a redirect URI is
    /// given, the provider's end-session page is shown; what fails there is in the report, and does not bring the
    /// session back.
    ///
    /// - Parameter redirectURI: Where the provider's end-session page sends the person back to; `nil` shows no page.
    /// - Throws: `storage` when the stored session could not be removed. It has not ended then.
    @discardableResult
    public func signOut(endingProviderSessionAt redirectURI: RedirectURI? = nil) async throws(SignInError)
        -> SignOutReport
    {
        try await signOut(redirectURI.map { EndSessionRequest(return: .redirect($0)) })
    }

    /// Ends the session: here first, then at the provider, in the way that a request says.
    ///
    /// - Parameter request: How the provider's own session is ended; `nil` leaves it as it is.
    /// - Throws: As ``signOut(endingProviderSessionAt:)``.
    @discardableResult
    public func signOut(_ request: EndSessionRequest?) async throws(SignInError) -> SignOutReport {
        guard coordinator.end == nil else { return SignOutReport() }
        coordinator.handle(.leaving)
        do throws(SignInError) {
            try await client.vault.remove(coordinator.id)
        } catch {
            coordinator.handle(.stayed)
            throw error
        }
        let record = coordinator.record
        coordinator.handle(.left(.userAction))
        var report = SignOutReport()
        if record.newestRefreshToken != nil { report.revocationFailure = await client.revoke(record) }
        if let request {
            do throws(SignInError) {
                report.endedProviderSession = try await client.endProviderSession(of: record.tokens.identity, request)
            } catch {
                report.endSessionFailure = error
            }
        }
        return report
    }
}

/// What the provider said to a sign-out.
///
/// The session has ended here in any case.
public struct SignOutReport: Sendable, Hashable {
    /// Why the refresh token could not be revoked; `nil` when it was, or when there was none.
    public var revocationFailure: SignInError?
    /// Why the provider's own session may not have ended.
    public var endSessionFailure: SignInError?
    /// Whether the provider confirmed that its own session has ended.
    public var endedProviderSession = false

    init() {}
}
