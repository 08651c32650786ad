/// The type of a token in a token exchange (RFC 8693 section 3).
public struct TokenType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The URI on the wire.
    public let rawValue: String
    /// Takes any URI.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The URI.
    public var description: String { rawValue }

    /// An access token of this authorization server.
    public static let accessToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// A refresh token of this authorization server.
    public static let refreshToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An ID token (OpenID Connect Core section 2).
    public static let idToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// Any JSON Web Token.
    public static let jwt = TokenType(rawValue: "urn:ietf:params:oauth:token-type:jwt")
}
