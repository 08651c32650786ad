extension TokenResponse {
    /// The tokens of a response that failed a check, only for their revocation.
    package var discarded: (refreshToken: Secret?, accessToken: Secret) {
        (refreshToken.map(Secret.init), Secret(accessToken))
    }
}
