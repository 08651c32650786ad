public import OstiaryOAuth

/// The substitute for the audience in a token, or in an introspection response, that has no `aud`.
///
/// Such a token says that it is good, and not where. Any client of the issuer could pass on a token that was issued to it for another
/// purpose, so a policy has to name what a token for this resource server has instead. (RFC 7662 section 4, RFC 9700 section 2.3)
public enum AbsentAudience: Sendable, Hashable {
    /// Nothing does: a token without an audience is refused.
    case refused
    /// The client that it was issued to, one of these; at least one.
    case clients(Set<String>)
    /// A scope that the issuer grants for this resource server alone.
    case scope(Scope)
}
