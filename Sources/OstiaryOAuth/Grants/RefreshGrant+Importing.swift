#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RefreshGrant {
    /// Takes a refresh token that another program was given, by the same issuer for the same client.
    ///
    /// - Parameters:
    ///   - client: It says what the new tokens will be bound to.
    ///   - scopes: What was granted, where the server does not say; empty when nobody knows.
    /// - Throws: `configuration` when no key can be made.
    package init(
        importing refreshToken: Secret,
        from issuer: Issuer,
        for client: Client,
        scopes: [Scope]
    ) throws(SignInError) {
        let before = TokenSet(
            issuer: issuer,
            clientID: client.id,
            access: AccessToken(value: Secret(""), scopes: scopes, expiry: .distantPast),
            targetTokens: [:],
            refreshToken: refreshToken,
            identity: nil,
            dpopKey: try client.senderConstraint.makeKey(),
            issuedTokenType: nil
        )
        try self.init(before)
    }
}
