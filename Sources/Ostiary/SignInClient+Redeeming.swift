import OstiaryOAuth

/// Redemption of a code, and of a device's code, which the user has signed in for.
extension SignInClient {
    /// Carries out the token request for a code, and sends it a second time when the connection broke before a response.
    ///
    /// A system closes the connections of an app that it suspends, so the first request after the redirect may meet a dead
    /// one, and a transport does not repeat a POST. Repeating is safe: when the first request arrived, its tokens are lost in
    /// any case, and a server that revokes them on reuse of the code revokes what no client has (RFC 6749 section 4.1.2).
    func answerRepeatingOnce(
        to request: consuming TokenExchange<AuthorizationGrant>
    ) async throws(SignInError) -> UncheckedResponse {
        do throws(SignInError) {
            return try await answer(to: request)
        } catch  where error.reason == .transport(.interrupted) && !Task.isCancelled {
            return try await answer(to: request)
        }
    }

    /// Makes every check of the tokens of a new session; tokens that fail one are revoked.
    ///
    /// - Throws: What failed. The revocation has been tried once by then, unless the task is cancelled.
    func accepted(_ answer: UncheckedResponse) async throws(SignInError) -> TokenSet {
        do throws(SignInError) {
            return try await checked(answer)
        } catch {
            let revocation = Task { await revokeDiscarded(answer) }
            if !Task.isCancelled { await revocation.value }
            throw error
        }
    }

    /// Revokes the tokens of an answer that nothing will use, as far as the server lets it.
    ///
    /// Nothing is read for it: a server whose known metadata has no `revocation_endpoint` gets no further request.
    func revokeDiscarded(_ answer: UncheckedResponse) async {
        do throws(SignInError) {
            let server = try await directory.server()
            guard server.revocationEndpoint != nil else { return }
            let tokens = answer.response.discarded
            let revocation =
                tokens.refreshToken.map { Revocation($0, kind: .refreshToken, client: client, server: server) }
                ?? Revocation(tokens.accessToken, kind: .accessToken, client: client, server: server)
            try await transport.perform(revocation, in: context)
        } catch {
            events(.revocationFailed(error))
        }
    }
}
