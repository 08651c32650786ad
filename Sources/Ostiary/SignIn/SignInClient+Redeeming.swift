public import OstiaryOAuth

/// Redemption of an authorization code or a device code after the user has signed in.
extension SignInClient {
    /// Sends the token request for a code, and sends it once more when the connection broke before a response.
    ///
    /// The system closes the connections of an app that it suspends, so the first request after the redirect may use a
    /// dead connection, and a transport does not repeat a POST. Repeating is safe: if the first request arrived, its
    /// tokens are lost in any case. A server that revokes them on reuse of the code revokes tokens that no client has
    /// (RFC 6749 section 4.1.2).
    func answerRepeatingOnce(
        to request: consuming TokenRequest<AuthorizationCodeGrant>
    ) async throws(SignInError) -> UncheckedResponse {
        do throws(SignInError) {
            return try await answer(to: request)
        } catch  where error.reason == .transport(.interrupted) && !Task.isCancelled {
            return try await answer(to: request)
        }
    }

    /// Makes every check of the tokens of a new session; tokens that fail one are revoked.
    ///
    /// - Throws: The error of the failed check, after one attempt to revoke. While a session is stored that may end
    ///   with the tokens, the refresh token is kept to be revoked later.
    func accepted(_ answer: UncheckedResponse) async throws(SignInError) -> TokenSet {
        do throws(SignInError) {
            return try await checked(answer)
        } catch {
            await revokeDiscarded(answer)
            throw error
        }
    }

    /// Revokes the tokens of a new session that could not be stored, as those that failed a check.
    func discardUnstored(_ tokens: TokenSet) async {
        let subject = tokens.identity?.subject
        if await mayRevoke(of: subject) {
            _ = await revoke(tokens)
        } else if let refreshToken = tokens.refreshToken {
            _ = await postpone(refreshToken, of: subject)
        }
    }

    /// Revokes the tokens of a response that the client discards, if the server has a revocation endpoint.
    ///
    /// It does not read the second metadata document: without a known `revocation_endpoint` it sends no request. The
    /// `sub` of the tokens is not proven: a stored session may be of the same user, and a server may end every grant of
    /// that user with one token (RFC 7009 section 2.1).
    private func revokeDiscarded(_ answer: UncheckedResponse) async {
        do throws(SignInError) {
            let server = try await directory.server()
            guard server.revocationEndpoint != nil else { return }
            let tokens = answer.response.discarded
            guard await mayRevoke(of: nil) else {
                if let refreshToken = tokens.refreshToken { _ = await postpone(refreshToken, of: nil) }
                return
            }
            let revocation =
                tokens.refreshToken.map { RevocationRequest($0, kind: .refreshToken, client: client, server: server) }
                ?? RevocationRequest(tokens.accessToken, kind: .accessToken, client: client, server: server)
            try await transport.perform(revocation, in: context)
        } catch {
            events(.revocationFailed(error))
        }
    }
}

extension SignInClient {
    /// The same client with another of its registered redirect URIs.
    ///
    /// It shares everything else: what is known of the server, and the session, which either of them may restore.
    public func redirecting(to redirectURI: RedirectURI) -> SignInClient {
        var other = self
        other.client.redirectURI = redirectURI
        return other
    }
}
