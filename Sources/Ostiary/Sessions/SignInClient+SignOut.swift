import OstiaryOAuth

extension SignInClient {
    /// Revokes the tokens of a session that has ended.
    ///
    /// - Returns: The reason they may still be valid; `nil` when the server confirmed the revocation.
    func revoke(_ session: StoredSession) async -> SignInError? {
        await revoke(session.newestRefreshToken, or: session.tokens.accessToken)
    }

    /// Revokes unused tokens.
    ///
    /// - Returns: As ``revoke(_:)``.
    func revoke(_ tokens: TokenSet) async -> SignInError? {
        await revoke(tokens.refreshToken, or: tokens.accessToken)
    }

    private func revoke(_ refreshToken: Secret?, or accessToken: Secret) async -> SignInError? {
        do throws(SignInError) {
            let server = try await directory.server(with: .revocation)
            let revocation =
                refreshToken.map { RevocationRequest($0, kind: .refreshToken, client: client, server: server) }
                ?? RevocationRequest(accessToken, kind: .accessToken, client: client, server: server)
            try await transport.perform(revocation, in: context)
            return nil
        } catch {
            events(.revocationFailed(error))
            return error
        }
    }

    /// Presents the provider's end-session page, and checks its redirect.
    ///
    /// - Returns: Whether the provider confirmed the sign-out; `false` when the user must close the page.
    func endProviderSession(
        of identity: IDToken?,
        _ request: EndSessionRequest
    ) async throws(SignInError) -> Bool {
        let server = try await directory.server(with: .endSession)
        let attempt = try await userAgent.attempt(awaiting: request.redirectURI ?? client.redirectURI)
        let pending: PendingEndSession
        do throws(SignInError) {
            var random = random()
            pending = try PendingEndSession(
                identity: request.hint == .idToken ? identity : nil,
                client: client,
                server: server,
                redirectURI: request.redirectURI == nil ? nil : attempt.redirectURI,
                using: &random
            )
        } catch {
            await attempt.abandon()
            throw error
        }
        events(.openedPage(pending.url.withoutQuery))
        do throws(SignInError) {
            guard request.redirectURI != nil else {
                do throws(SignInError) {
                    _ = try await attempt.open(pending.url, accepting: .any, within: policy.browserDeadline)
                } catch  where error.reason == .cancelled && !Task.isCancelled {
                    // The page does not redirect: the user closes it.
                }
                return false
            }
            let redirect = try await attempt.open(
                pending.url,
                accepting: RedirectPredicate(pending.isAnswered),
                within: policy.browserDeadline
            )
            try recording(.endSession) { (verdict) throws(SignInError) in
                try pending.confirm(redirect, recording: &verdict)
            }
            return true
        } catch {
            throw SignInError(.endSession, error.reason)
        }
    }
}
