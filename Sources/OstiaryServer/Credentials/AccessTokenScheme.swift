/// The scheme by which a request presents an access token.
public enum AccessTokenScheme: String, Sendable, Hashable, CaseIterable {
    /// Without a proof of possession (RFC 6750).
    case bearer = "Bearer"
    /// With a proof of the key that the token is bound to (RFC 9449 section 7.1).
    case dpop = "DPoP"
}
