/// How long an access token has to be good for yet, in seconds, 0 or more.
package enum TokenValidity: Sendable, Hashable {
    /// As somebody asked for.
    case atLeast(Double)
    /// As is usual, or half the token's life where that is shorter: a token that lives for a minute would otherwise be renewed with
    /// each use.
    case usually(Double)
}
