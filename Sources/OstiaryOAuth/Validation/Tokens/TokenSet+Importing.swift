package import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TokenSet {
    /// Takes a refresh token that the same issuer issued to another program with the same client.
    ///
    /// There is no access token: the set must be refreshed before use, and the response passes every check of a
    /// refresh.
    ///
    /// `client` determines the binding of the new tokens. `scopes` are the granted scopes, used when the server names
    /// none; empty when unknown. `claimedIdentity` holds the `sub`, `nonce` and `auth_time` of the ID token beside it,
    /// unverified; the first refresh must continue them.
    ///
    /// - Throws: `configuration` when no key can be made.
    package init(
        importing refreshToken: Secret,
        from issuer: Issuer,
        for client: Client,
        scopes: [Scope],
        claimedIdentity: JSONObject? = nil
    ) throws(SignInError) {
        self.init(
            issuer: issuer,
            clientID: client.id,
            access: AccessToken(value: Secret(""), scopes: scopes, expiry: Date(timeIntervalSince1970: 0)),
            targetTokens: [:],
            refreshToken: refreshToken,
            refreshTokenExpiry: nil,
            identity: nil,
            dpopKey: try client.senderConstraint.makeKey(),
            issuedTokenType: nil,
            additionalMembers: TokenSet.AdditionalMembers(),
            isUnproven: false,
            claimedIdentity: claimedIdentity
        )
    }

    /// Whether there is an access token yet.
    package var isImported: Bool { access.value.isEmpty }
}
