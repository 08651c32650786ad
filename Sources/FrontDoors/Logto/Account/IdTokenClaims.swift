public import OstiaryJOSE
public import OstiaryOAuth

/// The claims of a validated ID token.
public struct IdTokenClaims: LogtoClaims {
    /// Every claim, as it came.
    public let claims: JSONObject

    /// Takes the claims of a checked token.
    public init(_ identity: IDToken) { claims = identity.claims }

    init(claims: JSONObject) { self.claims = claims }

    /// The issuer of the token.
    public var iss: String { text("iss") ?? "" }
    /// The audience of the token: the app; the first one when there are several.
    public var aud: String { audience.first ?? "" }
    /// All audiences of the token.
    public var audience: [String] { text("aud").map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? [] }
    /// The expiry of the token, in seconds since 1970.
    public var exp: Int64 { seconds("exp") }
    /// The time at which the token was issued, in seconds since 1970.
    public var iat: Int64 { seconds("iat") }
    /// The hash of the access token that came with it; newer servers leave it out on refresh.
    public var atHash: String? { text("at_hash") }

    private func seconds(_ name: String) -> Int64 {
        claims[name]?.number.flatMap { Int64(exactly: $0.rounded(.down)) } ?? 0
    }
}

/// The unverified claims of an access token that is a JSON Web Token.
public struct AccessTokenClaims: Sendable, Hashable {
    /// Every claim, as it came.
    public let claims: JSONObject

    /// Reads a token; `nil` for an opaque one.
    public init?(_ token: Secret) {
        let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].utf8.count <= 65_536, let payload = try? Base64URL.decode(parts[1]),
            let claims = try? JSONObject(parsing: payload)
        else { return nil }
        self.claims = claims
    }

    /// The issuer of the token.
    public var iss: String? { claims["iss"]?.string }
    /// The subject of the token.
    public var sub: String? { claims["sub"]?.string }
    /// The audience of the token.
    public var audience: [String] {
        claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
    }
    /// The app that the token was issued to.
    public var clientID: String? { claims["client_id"]?.string }
    /// The scopes of the token.
    public var scopes: [Scope] { claims["scope"]?.string.map(Scope.list) ?? [] }
    /// The organization that it acts for: its claim, or the one that it is for.
    public var organizationID: String? {
        claims["organization_id"]?.string ?? audience.lazy.compactMap(LogtoUtilities.organizationID).first
    }
}

extension IdTokenClaims: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; their values may identify the user.
    public var description: String { "IdTokenClaims(\(claims.names.joined(separator: ", ")))" }
    /// The names of the claims.
    public var customMirror: Mirror { Mirror(self, children: ["claims": claims.names]) }
}

extension AccessTokenClaims: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; their values may identify the user.
    public var description: String { "AccessTokenClaims(\(claims.names.joined(separator: ", ")))" }
    /// The names of the claims.
    public var customMirror: Mirror { Mirror(self, children: ["claims": claims.names]) }
}
