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
