package import OstiaryOAuth

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The properties of tokens that a ``RefreshMachine`` decides on.
///
/// The simulation runs the same machine with tokens that are numbers.
package protocol RefreshableTokens: Sendable, Equatable {
    /// The target of an access token.
    associatedtype Target: Sendable, Hashable
    /// A refresh token.
    associatedtype RefreshToken: Sendable, Equatable
    /// The identity of an access token.
    associatedtype Access: Sendable, Equatable

    /// The refresh token; `nil` when the server issued none.
    var refreshToken: RefreshToken? { get }
    /// The expiry of the refresh token, if the server stated one.
    var refreshTokenExpiry: Date? { get }
    /// Returns the access token for a target; `nil` for none.
    func accessToken(for target: Target) -> Access?
    /// Whether both are known to be of a user, and not of the same one.
    func isOfAnotherUser(than other: Self) -> Bool
    /// Whether there is an access token for the target, valid for the given time.
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
