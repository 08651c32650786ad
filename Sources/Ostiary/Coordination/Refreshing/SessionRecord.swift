/// A session as it is stored: one value, replaced whole.
package struct SessionRecord<Tokens: RefreshableTokens>: Sendable, Equatable {
    /// Which sign-in it came from: a later one of the same person is another session.
    package var id: String
    /// Counts what was written of this session, so that nothing older replaces something newer.
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

    /// The refresh token that the server gave last.
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
