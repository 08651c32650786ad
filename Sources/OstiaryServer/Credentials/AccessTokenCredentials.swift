public import HTTPTypes
public import OstiaryOAuth

/// The access token in a request's `Authorization` field. (RFC 6750 section 2.1, RFC 9449 section 7.1)
///
/// Tokens in a query or a form are ignored: queries end up in logs and histories (RFC 9700 section 4.3.2).
public enum AccessTokenCredentials: Sendable, Hashable {
    /// No credentials, or those of another scheme.
    case absent
    /// Malformed credentials: two fields, a malformed token, or one over ``maximumBytes``.
    case malformed
    /// A token, of which only the characters are checked.
    case token(AccessTokenScheme, Secret)

    /// The longest field value that is read, in bytes: 16 KiB.
    public static let maximumBytes = 16_384

    /// Reads the credentials of a request.
    public init(in fields: HTTPFields) {
        let values = fields[values: .authorization]
        // With two fields, a proxy and this server could each use a different one.
        guard values.count < 2 else {
            self = .malformed
            return
        }
        self = values.first.map(Self.init(value:)) ?? .absent
    }

    private init(value: String) {
        guard value.utf8.count <= Self.maximumBytes else {
            self = .malformed
            return
        }
        let name = value.utf8.prefix { $0 != UInt8(ascii: " ") }
        guard let scheme = Self.scheme(name) else {
            self = .absent
            return
        }
        let token = value.utf8.dropFirst(name.count).drop { $0 == UInt8(ascii: " ") }
        self =
            Self.isToken(token)
            ? .token(scheme, Secret(String(decoding: token, as: UTF8.self))) : .malformed
    }

    private static func scheme(_ name: Substring.UTF8View) -> AccessTokenScheme? {
        // The names have letters alone, whose cases differ in one bit.
        AccessTokenScheme.allCases.first { $0.rawValue.utf8.elementsEqual(name) { $0 | 0x20 == $1 | 0x20 } }
    }

    /// Whether the bytes are a `b64token`: at least one of its characters, then only `=`.
    private static func isToken(_ bytes: Substring.UTF8View) -> Bool {
        // Bytes in one piece of memory are read faster than those of a string.
        bytes.withContiguousStorageIfAvailable(isTokenText) ?? isTokenText(bytes)
    }

    private static func isTokenText(_ bytes: some Collection<UInt8>) -> Bool {
        let padding = bytes.drop(while: isTokenByte)
        return padding.startIndex != bytes.startIndex && padding.allSatisfy { $0 == UInt8(ascii: "=") }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

/// The scheme by which a request presents an access token.
public enum AccessTokenScheme: String, Sendable, Hashable, CaseIterable {
    /// Without a proof of possession (RFC 6750).
    case bearer = "Bearer"
    /// With a proof of the key that the token is bound to (RFC 9449 section 7.1).
    case dpop = "DPoP"
}
