/// The refresh token that a response to a refresh leaves for the next one.
///
/// It does not depend on whether the response may be handed out. A server that rotates refresh tokens accepts no older one,
/// so a response that fails a check still holds the only refresh token of the session.
package enum RefreshSuccessor<RefreshToken: Sendable & Equatable>: Sendable, Equatable {
    /// The response has a new refresh token, and nothing says that it belongs to another session.
    case new(RefreshToken)
    /// The response has no new refresh token: the one that was presented remains valid.
    case unchanged
    /// The response is about another issuer or user: its refresh token would end another session if it were presented.
    ///
    /// Nothing of it is kept, and the refresh token that was presented may be used up.
    case foreign
}
