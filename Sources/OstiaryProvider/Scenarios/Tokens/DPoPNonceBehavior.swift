/// A scenario's behavior for the nonces of DPoP proofs (RFC 9449 section 8).
public enum DPoPNonceBehavior: Sendable, Hashable {
    /// The behavior that ``DPoPPolicy/requiresNonce`` selects.
    case configured
    /// Proofs need no nonce.
    case unasked
    /// Proofs need a nonce.
    case asked
    /// Proofs need a nonce, and the authorization server's is replaced after each authorization response and each token
    /// response, which still carries the old one: the next request is challenged.
    case replaced
    /// Proofs need a nonce, and none is ever the right one.
    case refused
}
