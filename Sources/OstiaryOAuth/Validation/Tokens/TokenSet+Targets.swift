#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TokenSet {
    /// The largest number of access tokens for targets that a session keeps.
    ///
    /// When an app requests more within one token lifetime, the oldest are dropped and must be requested again.
    package static let maximumTargetTokens = 256

    /// The access tokens for targets that have not expired.
    ///
    /// `now` is the time by the server's clock. A new `token` is always kept; the oldest tokens make room for it.
    func targetTokens(
        at now: Date,
        adding token: AccessToken? = nil,
        for target: AccessTokenTarget = .signIn
    ) -> [AccessTokenTarget: AccessToken] {
        var kept = targetTokens.filter { $0.value.expiry.map { now < $0 } ?? true }
        if token != nil { kept[target] = nil }
        kept = Self.newest(Self.maximumTargetTokens - (token == nil ? 0 : 1), of: kept)
        if let token { kept[target] = token }
        return kept
    }

    /// These tokens with the newer half of the access tokens for targets; `nil` when the set has no such tokens.
    package var withFewerTargetTokens: TokenSet? {
        guard !targetTokens.isEmpty else { return nil }
        var tokens = TokenSet(
            issuer: issuer,
            clientID: clientID,
            access: access,
            targetTokens: Self.newest(targetTokens.count / 2, of: targetTokens),
            refreshToken: refreshToken,
            refreshTokenExpiry: refreshTokenExpiry,
            identity: identity,
            dpopKey: dpopKey,
            issuedTokenType: issuedTokenType,
            additionalMembers: additionalMembers,
            isUnproven: isUnproven,
            claimedIdentity: claimedIdentity
        )
        tokens.signInResource = signInResource
        return tokens
    }

    /// The newest tokens, by the device's clock at their arrival or, without that, by their expiry.
    private static func newest(
        _ count: Int,
        of tokens: [AccessTokenTarget: AccessToken]
    ) -> [AccessTokenTarget: AccessToken] {
        guard tokens.count > count else { return tokens }
        func issued(_ token: AccessToken) -> Date { token.received ?? token.expiry ?? .distantPast }
        let order = tokens.sorted { issued($0.value) > issued($1.value) }
        return Dictionary(uniqueKeysWithValues: order.prefix(max(0, count)).map { ($0.key, $0.value) })
    }
}
