#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A session as it is stored: one value, replaced whole.
package struct SessionRecord<Tokens: RefreshableTokens>: Sendable, Equatable {
    /// The identifier of the sign-in: a later sign-in of the same user is another session.
    package var id: String
    /// Counts the writes of this session, so that an older value never replaces a newer one.
    package var revision: Int
    package var tokens: Tokens
    package var journal: RotationJournal<Tokens.RefreshToken>

    package init(
        id: String,
        revision: Int = 0,
        tokens: Tokens,
        journal: RotationJournal<Tokens.RefreshToken> = RotationJournal()
    ) {
        self.id = id
        self.revision = revision
        self.tokens = tokens
        self.journal = journal
    }

    /// The refresh token that the server issued last.
    package var newestRefreshToken: Tokens.RefreshToken? { journal.candidate ?? tokens.refreshToken }

    /// Whether another value is this one, by what a writer counts.
    package func isSame(as other: SessionRecord) -> Bool { id == other.id && revision == other.revision }

    /// The next value of this session.
    package func followed(
        by tokens: Tokens? = nil,
        journal: RotationJournal<Tokens.RefreshToken> = RotationJournal()
    ) -> SessionRecord {
        SessionRecord(id: id, revision: revision + 1, tokens: tokens ?? self.tokens, journal: journal)
    }
}

/// The journal of a refresh: stored beside the tokens before the request is sent, and removed with the new tokens.
///
/// A refresh token that rotates is valid once. A process may die, or a response may be lost, between the server's
/// rotation and the storing of the new tokens. The journal then tells the next process that the stored token may have
/// been used. The token is tried once more, and a refusal means that the rotation was lost, not that the session was
/// ended. The journal is a part of the session's one stored value, so no store needs transactions.
package struct RotationJournal<RefreshToken: Sendable & Equatable>: Sendable, Equatable {
    /// A request with the newest refresh token that may have been sent, and whose outcome is unknown.
    package struct Flight: Sendable, Equatable {
        /// The time just before it was first sent, by the client's clock.
        package var since: Date

        package init(since: Date) { self.since = since }
    }

    /// The refresh token of a response whose ID token could not be checked yet, for want of keys.
    ///
    /// The server accepts no older one.
    package var candidate: RefreshToken?
    /// The request whose outcome is unknown; `nil` for none.
    package var flight: Flight?

    /// Makes an empty journal: the stored refresh token is valid.
    package init(candidate: RefreshToken? = nil, flight: Flight? = nil) {
        self.candidate = candidate
        self.flight = flight
    }

    /// Whether nothing is in progress.
    package var isEmpty: Bool { candidate == nil && flight == nil }
}
