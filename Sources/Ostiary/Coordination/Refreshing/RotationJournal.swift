#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What is written down beside the tokens before a refresh is sent, and goes away with the tokens that it brings.
///
/// A refresh token that rotates is good once. When a process dies, or an answer is lost, between the server's rotation and
/// the saving of what it gave, the journal tells the next one that the stored token may have been used: it is tried once
/// more, and a refusal means that the rotation was lost, not that somebody ended the session. The journal is a part of
/// the session's one stored value, so no store needs transactions.
package struct RotationJournal<RefreshToken: Sendable & Equatable>: Sendable, Equatable {
    /// A request that was, or may have been, sent with the newest refresh token, and whose outcome nobody knows.
    package struct Flight: Sendable, Equatable {
        /// When it was first about to be sent, by the client's clock.
        package var since: Date

        package init(since: Date) { self.since = since }
    }

    /// The refresh token of an answer whose ID token could not be checked yet, for want of keys.
    ///
    /// The server takes no older one any more.
    package var candidate: RefreshToken?
    /// The request whose outcome is not known; `nil` when there is none.
    package var flight: Flight?

    /// An empty journal: the stored refresh token is good.
    package init(candidate: RefreshToken? = nil, flight: Flight? = nil) {
        self.candidate = candidate
        self.flight = flight
    }

    /// Whether nothing is under way.
    package var isEmpty: Bool { candidate == nil && flight == nil }
}
