/// The time for which an access token must remain valid, in seconds, 0 or more.
package enum TokenValidity: Sendable, Hashable {
    /// The time that the caller requires.
    case atLeast(Double)
    /// The usual time, or half the token's lifetime if that is shorter.
    ///
    /// A token with a lifetime of a minute would otherwise be refreshed with each use.
    case usually(Double)
}
