extension TokenResponse {
    /// The tokens of a response that failed a check, for their revocation and for nothing else.
    package var discarded: (refreshToken: Secret?, accessToken: Secret) {
        (refreshToken.map(Secret.init), Secret(accessToken))
    }
}
