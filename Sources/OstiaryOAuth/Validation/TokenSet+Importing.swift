package import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TokenSet {
    /// Takes a refresh token that another program was given, by the same issuer for the same client.
    ///
    /// There is no access token: it has to be refreshed before it is of any use, and the answer passes every check of a
    /// refresh.
    ///
    /// - Parameters:
    ///   - client: It says what the new tokens will be bound to.
    ///   - scopes: What was granted, where the server does not say; empty when nobody knows.
    ///   - claimedIdentity: The `sub`, `nonce` and `auth_time` of the ID token beside it, unverified; the first refresh has
    ///     to continue them.
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
            additionalMembers: AdditionalMembers(),
            isUnproven: false,
            claimedIdentity: claimedIdentity
        )
    }

    /// Whether there is an access token yet.
    package var isImported: Bool { access.value.isEmpty }
}
