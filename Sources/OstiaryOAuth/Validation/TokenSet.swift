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
    /// Who issued them.
    public let issuer: Issuer
    /// To which client.
    public let clientID: String
    /// The access token that the grant gave.
    public let access: AccessToken
    /// Access tokens for other targets than the sign-in itself (RFC 8707 section 2.2).
    public let targetTokens: [AccessTokenTarget: AccessToken]
    /// What new tokens are bought with; `nil` when the server gave none.
    public let refreshToken: Secret?
    /// When the refresh token expires, if the server said so; an unused one may end sooner, at the server's word.
    public let refreshTokenExpiry: Date?
    /// Who signed in; `nil` without `openid`.
    public let identity: IdentityToken?
    /// The key that the tokens are bound to; `nil` for bearer tokens (RFC 9449 section 5).
    public let dpopKey: DPoPKey?
    /// What kind the token is that came in exchange for another; `nil` for an access token of any other grant.
    public let issuedTokenType: TokenType?
    /// Members of the token response that no specification of this package reads; those of a later refresh replace them.
    public let additionalMembers: AdditionalMembers
    /// Whether the refresh token came with a response that failed a check, so that nothing has proved whose session it is.
    package let isUnproven: Bool
    /// Claims of an ID token that another SDK kept and that has not been verified here: `sub`, `nonce` and `auth_time`.
    ///
    /// `nil` once a verified ID token has taken their place.
    package let claimedIdentity: JSONObject?
    /// The resource that the sign-in's own access token is for; `nil` for none in particular (RFC 8707 section 2.2).
    public package(set) var signInResource: ResourceIndicator?

    /// What a resource server is shown (RFC 6750).
    public var accessToken: Secret { access.value }
    /// What was granted; what was asked for when the server did not say (RFC 6749 section 5.1).
    public var scopes: [Scope] { access.scopes }
    /// When the access token expires, counted from when it was asked for; `nil` when the server did not say.
    public var expiry: Date? { access.expiry }
    /// The type that the access token is shown with.
    public var tokenType: String { dpopKey == nil ? "Bearer" : "DPoP" }

    /// The claims that the next ID token has to continue (OpenID Connect Core section 12.2).
    package var continuedClaims: JSONObject? { identity?.claims ?? claimedIdentity }

    /// The access token for a resource, or the one that the grant gave; `nil` when there is none yet.
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

    /// Whether the access token is good for some more time.
    ///
    /// - Parameter margin: Seconds, 0 or more.
    public func isFresh(at now: Date, for margin: Double) -> Bool { access.isFresh(at: now, for: margin) }

    /// Whether the access token is good for some more time.
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
