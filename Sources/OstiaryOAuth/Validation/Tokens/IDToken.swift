public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An ID token that every check of OpenID Connect Core section 3.1.3.7 has passed.
public struct IDToken: Sendable, Hashable {
    package let token: VerifiedJWT

    init(_ token: VerifiedJWT) { self.token = token }

    /// Every claim.
    public var claims: JSONObject { token.claims }
    /// The user's identifier at this issuer (`sub`).
    public var subject: String { claims["sub"]?.string ?? "" }
    /// The issuer of the token (`iss`).
    public var issuer: String { claims["iss"]?.string ?? "" }
    /// The audience of the token (`aud`).
    public var audience: Set<String> { Set((claims.audience ?? []).compactMap(\.string)) }
    /// The expiry of the token (`exp`).
    public var expiry: Date? { claims.date("exp") }
    /// The time at which the token was issued (`iat`).
    public var issuedAt: Date? { claims.date("iat") }
    /// The time at which the user authenticated (`auth_time`).
    public var authenticatedAt: Date? { claims.date("auth_time") }
    /// The token in its original form, for `id_token_hint`; it identifies the user, so do not log it.
    public var compact: Secret { Secret(token.compact) }

    /// Compares the tokens as they came.
    public static func == (left: IDToken, right: IDToken) -> Bool {
        left.token.compact == right.token.compact
    }
    /// Hashes the token as it came.
    public func hash(into hasher: inout Hasher) { hasher.combine(token.compact) }
}

/// Claims of the profile; only ``subject`` identifies a user (OpenID Connect Core section 5.1).
///
/// Many servers leave them out of ID tokens, and send them as UserInfo.
extension IDToken {
    /// The name to display (`name`).
    public var name: String? { claims["name"]?.string }
    /// The name that the user goes by at the issuer (`preferred_username`); it may change or pass to another user.
    public var preferredUsername: String? { claims["preferred_username"]?.string }
    /// The email address (`email`), which may change or pass to another user.
    public var email: String? { claims["email"]?.string }
    /// Whether the issuer has verified the address: `email_verified` is `true` or `"true"`.
    public var isEmailVerified: Bool { claims.isEmailVerified }
    /// The URL of the picture (`picture`), if it is `https` or `http`.
    public var picture: URL? { claims.picture }
}

extension IDToken: CustomStringConvertible, CustomReflectable {
    /// The issuer alone: claims identify the user.
    public var description: String { "IDToken(\(issuer))" }
    /// The issuer alone.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}

extension JSONObject {
    /// `aud` as a set; a single string counts as one (RFC 7519 section 4.1.3).
    ///
    /// The values are compared code point by code point, as those of JSON are; Swift's strings would be compared by
    /// canonical equivalence.
    ///
    /// `nil` when it is missing or of another type.
    package var audience: Set<JSONValue>? {
        switch self["aud"] {
        case .string(let one): [.string(one)]
        case .array(let values): values.isEmpty || values.contains { $0.string == nil } ? nil : Set(values)
        default: nil
        }
    }

    /// A NumericDate, whole or with a fraction (RFC 7519 section 2).
    package func date(_ name: String) -> Date? { self[name]?.number.map { Date(timeIntervalSince1970: $0) } }
}

/// Claims about a user, of an ID token or of a UserInfo response (OpenID Connect Core section 5.1).
extension JSONObject {
    /// Whether `email_verified` is true; some servers send it as a string.
    package var isEmailVerified: Bool { self["email_verified"] == true || self["email_verified"] == "true" }

    /// `picture`; `nil` for a URL that is neither `https` nor `http`.
    package var picture: URL? {
        guard let text = self["picture"]?.string, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http"
        else { return nil }
        return url
    }
}
