public import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// The encodings and random values of OAuth messages.
public enum OIDTokenUtilities {
    /// Base64url without padding (RFC 7636 appendix A).
    public static func encodeBase64urlNoPadding(_ data: Data) -> String { Base64URL.encode([UInt8](data)) }

    /// Random bytes of the operating system's secure source, as base64url without padding.
    ///
    /// - Parameter size: The number of bytes, 1 or more.
    /// - Returns: The text; `nil` for a size of 0.
    public static func randomURLSafeString(withSize size: UInt) -> String? {
        guard size > 0 else { return nil }
        var random = SecureRandom()
        return Base64URL.encode((0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// The SHA-256 hash of a text's UTF-8.
    public static func sha256(_ inputString: String) -> Data {
        Data(HashAlgorithm.sha256.hash(Array(inputString.utf8)))
    }

    /// A text to log in place of a secret: no character of it.
    public static func redact(_ inputString: String?) -> String? {
        inputString.map { $0.isEmpty ? "" : Secret($0).description }
    }

    /// The text as a form escapes it (RFC 6749 appendix B); a space becomes `%20`.
    public static func formUrlEncode(_ inputString: String) -> String { FormURLEncoding.escape(inputString) }
}

/// Joins and splits scopes.
public enum OIDScopeUtilities {
    /// The scopes, joined by spaces in this order (RFC 6749 section 3.3).
    ///
    /// AppAuth stops the app at a scope with a character that RFC 6749 forbids; here such a scope is refused when the
    /// request is presented.
    public static func scopes(with scopes: [String]) -> String { scopes.joined(separator: " ") }

    /// The scopes of a text.
    public static func scopesArray(with scopes: String) -> [String] { scopes.split(separator: " ").map(String.init) }
}
