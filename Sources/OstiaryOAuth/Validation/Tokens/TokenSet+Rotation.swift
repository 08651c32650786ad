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

/// The refresh token for the next refresh, as the response to a refresh determines it.
///
/// It does not depend on whether the tokens may be handed out. A server that rotates refresh tokens accepts no older
/// one, so a response that fails a check still holds the only valid refresh token of the session.
package enum RefreshSuccessor: Sendable, Equatable {
    /// The response has a new refresh token, and nothing contradicts that it belongs to this session.
    case new(Secret)
    /// The response has no new refresh token: the one that was presented remains valid.
    case unchanged
    /// The response is about another issuer or user: presenting its refresh token would end another session.
    ///
    /// Nothing of the response is kept, and the presented refresh token may be used up.
    case foreign
}
