extension TokenSet {
    /// Returns the tokens with the refresh token of a response that failed a check, and nothing else of that response.
    ///
    /// The server accepts no older refresh token. The next response must prove that it belongs to the same user.
    package func rotated(to refreshToken: Secret) -> TokenSet {
        var tokens = TokenSet(
            issuer: issuer,
            clientID: clientID,
            access: access,
            targetTokens: targetTokens,
            refreshToken: refreshToken,
            refreshTokenExpiry: nil,
            identity: identity,
            dpopKey: dpopKey,
            issuedTokenType: issuedTokenType,
            additionalMembers: additionalMembers,
            isUnproven: true,
            claimedIdentity: claimedIdentity
        )
        tokens.signInResource = signInResource
        return tokens
    }
}
