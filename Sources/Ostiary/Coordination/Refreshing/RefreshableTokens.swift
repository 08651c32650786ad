package import OstiaryOAuth

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a ``RefreshMachine`` has to know of the tokens that it decides about.
///
/// The simulation runs the same machine with tokens that are numbers.
package protocol RefreshableTokens: Sendable, Equatable {
    /// What an access token is for.
    associatedtype Target: Sendable, Hashable
    /// What new tokens are bought with.
    associatedtype RefreshToken: Sendable, Equatable
    /// What tells one access token from another.
    associatedtype Access: Sendable, Equatable

    /// What new tokens are bought with; `nil` when the server gave none.
    var refreshToken: RefreshToken? { get }
    /// When the refresh token expires, if the server said so.
    var refreshTokenExpiry: Date? { get }
    /// The access token for a target; `nil` when there is none yet.
    func accessToken(for target: Target) -> Access?
    /// Whether both are known to be of a user, and not of the same one.
    func isOfAnotherUser(than other: Self) -> Bool
    /// Whether the access token for a target is there and good for some more time.
    func isFresh(for target: Target, at reading: ClockReading, lasting validity: TokenValidity) -> Bool
}

extension TokenSet: RefreshableTokens {
    package func accessToken(for target: AccessTokenTarget) -> Secret? { access(for: target)?.value }

    package func isOfAnotherUser(than other: TokenSet) -> Bool {
        guard let subject = identity?.subject, let former = other.identity?.subject else { return false }
        return !subject.utf8.elementsEqual(former.utf8)
    }

    package func isFresh(
        for target: AccessTokenTarget,
        at reading: ClockReading,
        lasting validity: TokenValidity
    ) -> Bool {
        access(for: target)?.isFresh(at: reading, for: validity) ?? false
    }
}
