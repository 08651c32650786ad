public import OstiaryOAuth

extension Session {
    /// Ends the session: here first, then at the provider.
    ///
    /// The stored session is removed before anything is sent, and every other object of this session in this client
    /// ends with it. The refresh token is then revoked, or the access token where there is no refresh token. If a
    /// redirect URI is given, the provider's end-session page is presented. A failure of these steps is in the report,
    /// and does not restore the session.
    ///
    /// - Parameter redirectURI: The URI to which the provider's end-session page redirects the user; `nil` presents no
    ///   page.
    /// - Returns: The steps at the provider, each with its failure.
    /// - Throws: `storage` when the stored session could not be removed. The session has then not ended.
    @discardableResult
    public func signOut(endingProviderSessionAt redirectURI: RedirectURI? = nil) async throws(SignInError)
        -> SignOutReport
    {
        try await signOut(redirectURI.map { EndSessionRequest(returning: .redirect($0)) })
    }

    /// Ends the session: here first, then at the provider, in the way that a request describes.
    ///
    /// - Parameter request: The request to end the provider's own session; `nil` leaves that session unchanged.
    /// - Returns: The steps at the provider, each with its failure.
    /// - Throws: As ``signOut(endingProviderSessionAt:)``.
    @discardableResult
    public func signOut(_ request: EndSessionRequest?) async throws(SignInError) -> SignOutReport {
        try await signOut(request.map { .endSession($0) } ?? SignOutPolicy.revoke)
    }

    /// Ends the session: here first, then as far as a policy says.
    ///
    /// The stored session is removed before anything is sent. A revocation of a refresh token that fails for a
    /// temporary reason is stored, and repeated later: sealed like the session, for at most 30 days.
    ///
    /// A second sign-out of the same session sends nothing. Its report says `done`, since that call leaves no token behind;
    /// the report of the first call has the outcome of the revocation.
    ///
    /// - Throws: `storage` when the stored session could not be removed. The session has then not ended.
    @discardableResult
    public func signOut(_ policy: SignOutPolicy) async throws(SignInError) -> SignOutReport {
        guard coordinator.end == nil else { return SignOutReport() }
        coordinator.handle(.signingOut)
        do throws(SignInError) {
            try await client.vault.remove(coordinator.id)
        } catch {
            coordinator.handle(.signOutFailed)
            throw error
        }
        let record = coordinator.record
        coordinator.handle(.sessionEnded(.userAction))
        var report = SignOutReport()
        if policy != .local {
            if let refreshToken = record.newestRefreshToken {
                (report.revocationFailure, report.willRetryRevocation) = await client.revokeOrKeep(
                    refreshToken,
                    of: record.tokens.identity?.subject
                )
            } else {
                // The access token soon expires, so nothing is stored for later.
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
