public import OstiaryOAuth

extension Session {
    /// Ends the session: here first, then at the provider.
    ///
    /// What is stored is removed before anything is sent, and every other object of this session that the client gave out
    /// ends with it. The refresh token is then revoked, or the access token where there is no other, and, if a redirect URI is
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
        try await signOut(request.map { .endSession($0) } ?? SignOutPolicy.revoke)
    }

    /// Ends the session: here first, then as far as a policy says.
    ///
    /// What is stored is removed before anything is sent. A refresh token's revocation that fails for a reason that may pass is
    /// kept, and made later: in the store, sealed as the session was, for at most 30 days.
    ///
    /// - Throws: `storage` when the stored session could not be removed. It has not ended then.
    @discardableResult
    public func signOut(_ policy: SignOutPolicy) async throws(SignInError) -> SignOutReport {
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
        if policy != .local {
            if let refreshToken = record.newestRefreshToken {
                (report.revocationFailure, report.willRetryRevocation) = await client.revokeOrKeep(
                    refreshToken,
                    of: record.tokens.identity?.subject
                )
            } else {
                // It soon expires by itself, so nothing is kept for later.
                report.revocationFailure = await client.revoke(record)
            }
        }
        if case .endSession(let request) = policy {
            do throws(SignInError) {
                report.endedProviderSession = try await client.endProviderSession(of: record.tokens.identity, request)
            } catch {
                report.endSessionFailure = error
            }
        }
        return report
    }
}
