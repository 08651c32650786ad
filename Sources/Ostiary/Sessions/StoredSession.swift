package import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A session as the bytes that a store keeps.
///
/// Version 2 names the sign-in, counts what was written, and has room for the journal of a refresh. Version 1, tokens
/// alone, is still read.
package typealias StoredSession = SessionRecord<TokenSet>

extension SessionRecord where Tokens == TokenSet {
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

extension RotationJournal where RefreshToken == Secret {
    fileprivate func stored() -> JSONObject {
        var object = JSONObject()
        object["candidate"] = candidate.map { .string($0.reveal()) }
        object["since"] = flight.map { .number($0.since.timeIntervalSince1970) }
        return object
    }

    fileprivate init(stored value: JSONValue?) throws(SignInError) {
        self.init()
        guard let value else { return }
        guard let object = value.object else { throw SignInError(.storage, .storage(.corrupted)) }
        candidate = object["candidate"]?.string.map(Secret.init)
        flight = object["since"]?.number.map { Flight(since: Date(timeIntervalSince1970: $0)) }
    }
}
