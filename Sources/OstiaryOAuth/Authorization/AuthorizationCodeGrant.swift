/// A checked authorization response, to be redeemed once (RFC 6749 section 4.1.2).
///
/// Only ``PendingAuthorization/grant(from:)`` makes one, and redeeming it uses it up.
public struct AuthorizationCodeGrant: ~Copyable, Sendable {
    let code: Secret
    let pending: PendingAuthorization

    /// The authorization request that the response belongs to, as it was sent.
    package var request: AuthorizationRequest { pending.request }
}
