/// One scope value (RFC 6749 section 3.3); a server's own values pass through unchanged.
public struct Scope: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The value on the wire.
    public let rawValue: String
    /// Takes any value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any value.
    public init(stringLiteral value: String) { rawValue = value }
    /// The value.
    public var description: String { rawValue }

    /// An ID token is wanted (OpenID Connect Core section 3.1.2.1).
    public static let openID: Self = "openid"
    /// Name, picture and other claims (OpenID Connect Core section 5.4).
    public static let profile: Self = "profile"
    /// The e-mail address (OpenID Connect Core section 5.4).
    public static let email: Self = "email"
    /// A refresh token is wanted (OpenID Connect Core section 11).
    public static let offlineAccess: Self = "offline_access"

    /// Reads a space-separated list; empty parts and repetitions are dropped.
    public static func list(_ text: String) -> [Scope] {
        text.utf8.split(separator: UInt8(ascii: " ")).reduce(into: []) { scopes, part in
            let scope = Scope(rawValue: String(Substring(part)))
            if !scopes.contains(scope) { scopes.append(scope) }
        }
    }

    /// Whether it is a scope-token: printable ASCII without space, `"` and `\` (RFC 6749 section 3.3).
    package var isWellFormed: Bool {
        !rawValue.isEmpty
            && rawValue.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}

extension [Scope] {
    /// The list on the wire: joined by spaces.
    public var text: String { map(\.rawValue).joined(separator: " ") }
}
