import OstiaryJOSE

/// The proof whose session a token response continues, where its refresh token came with a response that failed a check.
extension TokenResponse {
    /// Whether user info has to say whose session this is before anything of the response is handed out.
    ///
    /// An ID token says so itself. Without one, a response is taken to continue the session, unless the refresh token that
    /// brought it is unproven.
    package var needsProof: Bool { idToken == nil && !isProven && provableSubject != nil }

    /// The user info request whose answer proves whose session this is; `nil` when the server has no such endpoint.
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

    /// The response, once user info has named the session's user.
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
