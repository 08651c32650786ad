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
