package import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Tokens that every check of their grant has passed.
///
/// Only ``TokenResponse`` makes one, when it is validated.
public struct TokenSet: Sendable, Hashable {
    /// The issuer of the tokens.
    public let issuer: Issuer
    /// The client that the tokens were issued to.
    public let clientID: String
    /// The access token of the grant itself.
    public let access: AccessToken
    /// Access tokens for other targets than the sign-in itself (RFC 8707 section 2.2).
    public let targetTokens: [AccessTokenTarget: AccessToken]
    /// The refresh token; `nil` when the server issued none.
    public let refreshToken: Secret?
    /// The expiry of the refresh token, if the server stated one; the server may expire an unused token sooner.
    public let refreshTokenExpiry: Date?
    /// The ID token of the user; `nil` without `openid`.
    public let identity: IDToken?
    /// The key that the tokens are bound to; `nil` for bearer tokens (RFC 9449 section 5).
    public let dpopKey: DPoPKey?
    /// The type of a token issued in a token exchange; `nil` for an access token of any other grant.
    public let issuedTokenType: TokenType?
    /// Members of the token response that no specification of this package reads; those of a later refresh replace
    /// them.
    public let additionalMembers: TokenSet.AdditionalMembers
    /// Whether the refresh token came with a response that failed a check, so that nothing has proved whose session it
    /// is.
    package let isUnproven: Bool
    /// Claims of an ID token that another SDK kept and that has not been verified here: `sub`, `nonce` and `auth_time`.
    ///
    /// `nil` once a verified ID token has taken their place.
    package let claimedIdentity: JSONObject?
    /// The resource that the sign-in's own access token is for; `nil` for none in particular (RFC 8707 section 2.2).
    public package(set) var signInResource: ResourceIndicator?

    /// The access token to present to a resource server (RFC 6750).
    public var accessToken: Secret { access.value }
    /// The granted scopes; the requested ones when the server named none (RFC 6749 section 5.1).
    public var scopes: [Scope] { access.scopes }
    /// The access token's expiry, counted from the time of the request; `nil` when the server named no lifetime.
    public var expiry: Date? { access.expiry }
    /// The authorization scheme that the access token is presented with.
    public var tokenType: String { dpopKey == nil ? "Bearer" : "DPoP" }

    /// The claims that the next ID token must continue (OpenID Connect Core section 12.2).
    package var continuedClaims: JSONObject? { identity?.claims ?? claimedIdentity }

    /// Returns the access token for a resource, or that of the grant itself; `nil` when there is none yet.
    public func access(for resource: ResourceIndicator?) -> AccessToken? { access(for: AccessTokenTarget(resource)) }

    /// The access token for a target; `nil` when there is none yet.
    public func access(for target: AccessTokenTarget) -> AccessToken? {
        isOfSignIn(target) ? access : targetTokens[target]
    }

    /// Whether the token for a target is the sign-in's own.
    package func isOfSignIn(_ target: AccessTokenTarget) -> Bool {
        if target.isSignIn { return true }
        guard let signInResource else { return false }
        return target == AccessTokenTarget(signInResource)
    }

    /// Whether the access token is valid for at least `margin` more.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - margin: The time, 0 or more.
    /// - Returns: Whether it is; a token without a known expiry counts as valid.
    public func isFresh(at now: Date, for margin: Duration) -> Bool { access.isFresh(at: now, for: margin) }

    /// Whether the access token is valid for the given time.
    package func isFresh(at now: Date, for validity: TokenValidity) -> Bool { access.isFresh(at: now, for: validity) }
}

extension TokenSet: CustomStringConvertible, CustomReflectable {
    /// The issuer, the client and the expiry; no token.
    public var description: String { "TokenSet(\(issuer), \(clientID))" }
    /// No token.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": issuer.description, "client": clientID, "scopes": scopes.text])
    }
}
