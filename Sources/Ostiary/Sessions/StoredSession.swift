package import OstiaryJOSE
package import OstiaryOAuth

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A session as it is stored: one value, replaced whole.
///
/// Its bytes are of version 2, which names the sign-in, counts what was written, and has room for the journal of a
/// refresh. Version 1, tokens alone, is still read.
package struct StoredSession: Sendable, Equatable {
    /// The identifier of the sign-in: a later sign-in of the same user is another session.
    package var id: String
    /// Counts the writes of this session, so that an older value never replaces a newer one.
    package var revision: Int
    package var tokens: TokenSet
    package var journal: RotationJournal

    package init(
        id: String,
        revision: Int = 0,
        tokens: TokenSet,
        journal: RotationJournal = RotationJournal()
    ) {
        self.id = id
        self.revision = revision
        self.tokens = tokens
        self.journal = journal
    }

    /// The refresh token that the server issued last.
    package var newestRefreshToken: Secret? { journal.candidate ?? tokens.refreshToken }

    /// Whether another value is this one, by what a writer counts.
    package func isSame(as other: StoredSession) -> Bool { id == other.id && revision == other.revision }

    /// The next value of this session.
    package func followed(
        by tokens: TokenSet? = nil,
        journal: RotationJournal = RotationJournal()
    ) -> StoredSession {
        StoredSession(id: id, revision: revision + 1, tokens: tokens ?? self.tokens, journal: journal)
    }
}

/// The journal of a refresh: stored beside the tokens before the request is sent, and removed with the new tokens.
///
/// A refresh token that rotates is valid once. A process may die, or a response may be lost, between the server's
/// rotation and the storing of the new tokens. The journal then tells the next process that the stored token may have
/// been used. The token is tried once more, and a refusal means that the rotation was lost, not that the session was
/// ended. The journal is a part of the session's one stored value, so no store needs transactions.
package struct RotationJournal: Sendable, Equatable {
    /// A request with the newest refresh token that may have been sent, and whose outcome is unknown.
    package struct Mark: Sendable, Equatable {
        /// The time just before it was first sent, by the client's clock.
        package var since: Date

        package init(since: Date) { self.since = since }
    }

    /// The refresh token of a response whose ID token could not be checked yet, for want of keys.
    ///
    /// The server accepts no older one.
    package var candidate: Secret?
    /// The request whose outcome is unknown; `nil` for none.
    package var mark: Mark?

    /// Makes an empty journal: the stored refresh token is valid.
    package init(candidate: Secret? = nil, mark: Mark? = nil) {
        self.candidate = candidate
        self.mark = mark
    }

    /// Whether nothing is in progress.
    package var isEmpty: Bool { candidate == nil && mark == nil }
}

extension StoredSession {
    /// Makes a new session from the tokens of a sign-in.
    init(_ tokens: TokenSet, using random: inout some RandomNumberGenerator) {
        let words: [UInt64] = [random.next(), random.next()]
        self.init(id: words.map { String($0, radix: 16) }.joined(separator: "-"), tokens: tokens)
    }

    /// Reads the output of ``bytes()``.
    ///
    /// - Throws: `corrupted` at stage `storage`, also for a value of a newer version.
    init(_ bytes: [UInt8]) throws(SignInError) {
        let corrupted = SignInError(.storage, .storage(.corrupted))
        guard let object = try? JSONObject(parsing: bytes, limits: Self.limits), let tokens = object["tokens"]?.object
        else { throw corrupted }
        switch object["version"]?.integer {
        case 1: self.init(id: "", tokens: try TokenSet(stored: tokens, keys: .thisDevice))
        case 2:
            guard let id = object["id"]?.string, let revision = object["revision"]?.integer else { throw corrupted }
            self.init(
                id: id,
                revision: revision,
                tokens: try TokenSet(stored: tokens, keys: .thisDevice),
                journal: try RotationJournal(stored: object["journal"])
            )
        default: throw corrupted
        }
    }

    /// Returns the session for a sealed store, in the form that ``init(_:)`` reads.
    ///
    /// If the whole is too large, the oldest access tokens for targets are left out: they are requested again when they
    /// are needed.
    ///
    /// - Throws: `storage(.unavailable)` when the rest is too large as well, more than 768 KiB; nothing is stored then.
    func bytes() throws(SignInError) -> [UInt8] {
        var tokens = tokens
        while true {
            let bytes = try bytes(of: tokens)
            if bytes.count <= Self.limits.maximumBytes { return bytes }
            guard let fewer = tokens.withFewerTargetTokens else { throw SignInError(.storage, .storage(.unavailable)) }
            tokens = fewer
        }
    }

    private func bytes(of tokens: TokenSet) throws(SignInError) -> [UInt8] {
        var object: JSONObject = [
            "version": 2, "id": .string(id), "revision": .integer(revision), "tokens": .object(try tokens.stored()),
        ]
        if !journal.isEmpty { object["journal"] = .object(journal.stored()) }
        return object.encoded()
    }

    /// Less than the largest value of any store (1 MiB, with its name and seal), so that what was written can be read.
    package static var limits: JSONLimits { JSONLimits(maximumBytes: 786_432, maximumMembers: 100_000) }
}

extension RotationJournal {
    fileprivate func stored() -> JSONObject {
        var object = JSONObject()
        object["candidate"] = candidate.map { .string($0.reveal()) }
        object["since"] = mark.map { .number($0.since.timeIntervalSince1970) }
        return object
    }

    fileprivate init(stored value: JSONValue?) throws(SignInError) {
        self.init()
        guard let value else { return }
        guard let object = value.object else { throw SignInError(.storage, .storage(.corrupted)) }
        candidate = object["candidate"]?.string.map(Secret.init)
        mark = object["since"]?.number.map { Mark(since: Date(timeIntervalSince1970: $0)) }
    }
}
