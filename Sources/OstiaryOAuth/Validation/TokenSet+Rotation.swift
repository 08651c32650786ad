extension TokenSet {
    /// These tokens with the refresh token of an answer that could not be checked, and nothing else of it: it is good for the next
    /// refresh, whose answer passes every check.
    package func rotated(to refreshToken: Secret) -> TokenSet {
        TokenSet(
            issuer: issuer,
            clientID: clientID,
            access: access,
            targetTokens: targetTokens,
            refreshToken: refreshToken,
            refreshTokenExpiry: nil,
            identity: identity,
            dpopKey: dpopKey,
            issuedTokenType: issuedTokenType
        )
    }
}
