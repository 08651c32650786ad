public import OstiaryJOSE
public import OstiaryOAuth

/// What an ID token says, after every check of it.
public struct IdTokenClaims: LogtoClaims {
    /// Every claim, as it came.
    public let claims: JSONObject

    /// Takes the claims of a checked token.
    public init(_ identity: IdentityToken) { claims = identity.claims }

    init(claims: JSONObject) { self.claims = claims }

    /// Who says so.
    public var iss: String { text("iss") ?? "" }
    /// Whom it is for: the app; the first one when there are several.
    public var aud: String { audience.first ?? "" }
    /// Everybody whom it is for.
    public var audience: [String] { text("aud").map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? [] }
    /// When it expires, in seconds since 1970.
    public var exp: Int64 { seconds("exp") }
    /// When it was made, in seconds since 1970.
    public var iat: Int64 { seconds("iat") }
    /// The hash of the access token that came with it; newer servers leave it out on refresh.
    public var atHash: String? { text("at_hash") }

    private func seconds(_ name: String) -> Int64 {
        claims[name]?.number.flatMap { Int64(exactly: $0.rounded(.down)) } ?? 0
    }
}

/// What an access token says that is a JSON Web Token; nobody has checked it.
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

    /// Who issued it.
    public var iss: String? { claims["iss"]?.string }
    /// Whom it is about.
    public var sub: String? { claims["sub"]?.string }
    /// Whom it is for.
    public var audience: [String] {
        claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
    }
    /// Which app it was given to.
    public var clientID: String? { claims["client_id"]?.string }
    /// What it allows.
    public var scopes: [Scope] { claims["scope"]?.string.map(Scope.list) ?? [] }
    /// The organization that it acts for: its claim, or the one that it is for.
    public var organizationID: String? {
        claims["organization_id"]?.string ?? audience.lazy.compactMap(LogtoUtilities.organizationID).first
    }
}

extension IdTokenClaims: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; their values are about a person.
    public var description: String { "IdTokenClaims(\(claims.names.joined(separator: ", ")))" }
    /// The names of the claims.
    public var customMirror: Mirror { Mirror(self, children: ["claims": claims.names]) }
}

extension AccessTokenClaims: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; their values are about a person.
    public var description: String { "AccessTokenClaims(\(claims.names.joined(separator: ", ")))" }
    /// The names of the claims.
    public var customMirror: Mirror { Mirror(self, children: ["claims": claims.names]) }
}
