import OstiaryJOSE

/// The proof that a token response continues the session, needed after a response that failed a check.
extension TokenResponse {
    /// Whether user info must confirm the session's user before a caller gets the tokens.
    ///
    /// An ID token names the user itself. Without one, a response counts as a continuation of the session, unless the
    /// presented refresh token is unproven.
    package var needsProof: Bool { idToken == nil && !isProven && provableSubject != nil }

    /// The user info request whose response confirms the session's user; `nil` when the server has no such endpoint.
    package var proofRequest: UserInfoRequest? {
        guard let provableSubject, server.userInfoEndpoint != nil else { return nil }
        return UserInfoRequest(
            Secret(accessToken),
            boundTo: dpopKey,
            about: provableSubject,
            client: client,
            server: server
        )
    }

    /// Returns the response as proven if user info names the session's user, and unchanged otherwise.
    package func proven(by info: UserInfo) -> TokenResponse {
        var response = self
        response.isProven = response.isProven || info.claims["sub"] == provableSubject.map { .string($0) }
        return response
    }

    /// The user of the session, if its refresh token is unproven.
    private var provableSubject: String? {
        guard case .refresh(let tokens, _) = expectation, tokens.isUnproven else { return nil }
        return tokens.continuedClaims?["sub"]?.string
    }
}

extension TokenResponse {
    /// The tokens of a response that failed a check, only for their revocation.
    package var discarded: (refreshToken: Secret?, accessToken: Secret) {
        (refreshToken.map(Secret.init), Secret(accessToken))
    }
}
