/// How a request shows an access token.
public enum AccessTokenScheme: String, Sendable, Hashable, CaseIterable {
    /// By itself (RFC 6750).
    case bearer = "Bearer"
    /// With a proof that the sender has the key which it is bound to (RFC 9449 section 7.1).
    case dpop = "DPoP"
}
