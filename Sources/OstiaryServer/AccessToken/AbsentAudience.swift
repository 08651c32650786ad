public import OstiaryOAuth

/// The substitute for the audience in a token, or in an introspection response, that has no `aud`.
///
/// Such a token is valid, and does not say for which resource server. Any client of the issuer could pass on a token
/// that was issued to it for another purpose, so a policy must name what identifies a token for this resource server
/// instead. (RFC 7662 section 4, RFC 9700 section 2.3)
public enum AbsentAudience: Sendable, Hashable {
    /// No substitute: a token without an audience is rejected.
    case refused
    /// The client that the token was issued to must be one of these; at least one.
    case clients(Set<String>)
    /// The token must have a scope that the issuer grants for this resource server alone.
    case scope(Scope)
}
