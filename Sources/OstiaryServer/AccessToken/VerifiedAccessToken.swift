public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An access token that every check of its route's policy has passed. (RFC 9068 section 4)
///
/// It proves that the issuer issued it for this resource server, that it was valid when it was checked, and that it has
/// the policy's scopes. Whether the caller may access a certain record is for the application to decide.
public struct VerifiedAccessToken: Sendable, Hashable {
    /// The party on whose behalf a request is made.
    public enum Principal: Sendable, Hashable {
        /// A user, through the client; the value is `sub`.
        case resourceOwner(String)
        /// The client itself, without a user; the value is `client_id`.
        case client(String)
    }

    /// Every claim: of the token itself, or of the introspection response (RFC 7662 section 2.2), with its issuer as
    /// `iss` where the response left that out.
    public let claims: JSONObject
    /// The format of the token, by which its claims are read.
    public let profile: AccessTokenProfile
    /// The policy's issuer that issued the token; `iss` of the claims may be another name of it, by the profile.
    public let issuer: String
    private let text: String

    init(_ text: String, _ claims: JSONObject, _ profile: AccessTokenProfile, of issuer: Issuer?) {
        self.text = text
        self.claims = claims
        self.profile = profile
        self.issuer = issuer?.description ?? claims["iss"]?.string ?? ""
    }

    /// The token's subject (`sub`): unique at the issuer, and the client when there is no user.
    public var subject: String { text("sub") }
    /// The client that the token was issued to (`client_id`, or the profile's claim for it); empty where tokens name
    /// none, as Spring's.
    public var clientID: String { profile.client(in: claims) ?? "" }
    /// The token's own identifier (`jti`, or the profile's claim for it); empty without one.
    public var tokenID: String { text(profile.manners.tokenID) }
    /// The granted scopes (`scope`, or the profile's claim for it). (RFC 9068 section 2.2.3)
    public var scopes: [Scope] { profile.scopes(in: claims) }
    /// The subject's roles: `roles`, or the profile's path to them; empty without. (RFC 9068 section 2.2.3.1)
    public var roles: [String] { profile.roles(in: claims) }
    /// The subject's groups: `groups`, or the profile's claim for them; empty without. (RFC 9068 section 2.2.3.1)
    ///
    /// An issuer may leave them out of a token when a user is in many.
    public var groups: [String] { profile.groups(in: claims) }
    /// The subject's roles at one client, by the profile; empty where it has no claim for them.
    public func roles(at client: String) -> [String] { profile.roles(in: claims, at: client) }
    /// When the token expires (`exp`).
    public var expiry: Date? { claims.date("exp") }
    /// When the token was issued (`iat`).
    public var issuedAt: Date? { claims.date("iat") }
    /// The party on whose behalf the request is made: a token whose subject is its client has no user.
    ///
    /// Some profiles use another claim. A token that names no client counts as a user's. (RFC 9068 sections 2.2 and 5)
    public var principal: Principal {
        profile.isClientsOwn(claims) ? .client(clientID) : .resourceOwner(subject)
    }
    /// The token as received, such as for a token exchange (RFC 8693).
    ///
    /// Do not pass it on to other servers: it was issued for this one.
    public var compact: Secret { Secret(text) }
    /// The thumbprint of the key that the token is bound to, which the request has proven; `nil` for an unbound one
    /// (RFC 9449).
    public var proofKeyThumbprint: String? { claims["cnf"]?.object?["jkt"]?.string }
    /// When the user authenticated (`auth_time`). (RFC 9068 section 2.2.1)
    public var authenticatedAt: Date? { claims.date("auth_time") }
    /// The authentication context class of the user's sign-in (`acr`). (RFC 9068 section 2.2.1)
    public var authenticationContext: String? { claims["acr"]?.string }

    private func text(_ name: String) -> String { claims[name]?.string ?? "" }

    /// Compares the tokens as received.
    public static func == (left: VerifiedAccessToken, right: VerifiedAccessToken) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }
    /// Hashes the token as received.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension VerifiedAccessToken: CustomStringConvertible, CustomReflectable {
    /// The issuer alone: the claims are about a user.
    public var description: String { "VerifiedAccessToken(\(issuer))" }
    /// The issuer alone.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}
