/// Whether a route accepts tokens that are bound to a key of the sender, and which binding it requires.
///
/// A bound token without its proof is rejected in every case: accepting it would make a stolen one usable.
public enum TokenBinding: String, Sendable, Hashable, CaseIterable {
    /// Bearer tokens (RFC 6750); bound ones are rejected.
    case bearer
    /// DPoP tokens (RFC 9449), and no others.
    case dpop
    /// Tokens bound to the sender's TLS certificate (RFC 8705 section 3), and no others.
    case mtls
    /// Any of the three.
    case any
}
