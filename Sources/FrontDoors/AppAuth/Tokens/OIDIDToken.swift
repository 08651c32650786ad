public import Foundation
import OstiaryJOSE

/// The claims of an ID token, read and not verified.
///
/// The ID tokens that responses of this face hand out were verified before. A token from elsewhere was not: do not
/// decide by its claims who the user is.
public final class OIDIDToken: NSObject, Sendable {
    private let parts: (header: JSONObject, claims: JSONObject)
    /// The issuer (`iss`).
    public let issuer: URL
    /// The user at the issuer (`sub`).
    public let subject: String
    /// The time at which the token expires (`exp`).
    public let expiresAt: Date
    /// The time at which the token was issued (`iat`).
    public let issuedAt: Date

    /// Reads a token of at most 64 KiB.
    ///
    /// - Returns: `nil` when it is not a JSON Web Token, or lacks a claim that OpenID Connect Core section 2 requires.
    public init?(idTokenString: String) {
        guard let token = IDTokenParts(idTokenString),
            let issuer = token.claims["iss"]?.string.flatMap(URL.init(string:)),
            let subject = token.claims["sub"]?.string, token.claims["aud"]?.audience != nil,
            let expiry = token.claims["exp"]?.number, let issued = token.claims["iat"]?.number
        else { return nil }
        parts = (token.header, token.claims)
        self.issuer = issuer
        self.subject = subject
        expiresAt = Date(timeIntervalSince1970: expiry)
        issuedAt = Date(timeIntervalSince1970: issued)
    }

    /// The header, as Foundation's JSON objects.
    public var header: [AnyHashable: Any] { parts.header.foundation }
    /// Every claim, as Foundation's JSON objects.
    public var claims: [AnyHashable: Any] { parts.claims.foundation }
    /// The audiences (`aud`).
    public var audience: [Any] { parts.claims["aud"]?.audience ?? [] }
    /// The `nonce`.
    public var nonce: String? { parts.claims["nonce"]?.string }

    /// The issuer; nothing of the user.
    override public var description: String { "OIDIDToken(\(issuer.absoluteString))" }
}

/// The header and the claims of a compact token, unverified.
struct IDTokenParts {
    let header: JSONObject
    let claims: JSONObject

    init?(_ compact: String) {
        let parts = compact.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard compact.utf8.count <= 65_536, parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1])
        else { return nil }
        self.header = header
        self.claims = claims
    }

    private static func object(_ part: Substring.UTF8View) -> JSONObject? {
        guard let bytes = try? Base64URL.decode(Array(part)) else { return nil }
        return try? JSONObject(parsing: bytes)
    }
}

extension JSONValue {
    /// The audiences of an `aud` claim; `nil` for another type.
    var audience: [String]? {
        if let one = string { return [one] }
        guard let several = array, !several.isEmpty else { return nil }
        let texts = several.compactMap(\.string)
        return texts.count == several.count ? texts : nil
    }
}
