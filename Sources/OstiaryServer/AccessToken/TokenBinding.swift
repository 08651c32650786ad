/// Whether a route takes tokens that are bound to a key of the sender, and how they are bound.
///
/// A bound token without its proof is refused whatever a route takes: taking it would make a stolen one usable.
public enum TokenBinding: String, Sendable, Hashable, CaseIterable {
    /// Tokens that whoever has them may use (RFC 6750); bound ones are refused.
    case bearer
    /// Tokens with a proof of possession (RFC 9449), and no others.
    case dpop
    /// Tokens that are bound to the sender's TLS certificate (RFC 8705 section 3), and no others.
    case mtls
    /// Each of the three.
    case any
}
