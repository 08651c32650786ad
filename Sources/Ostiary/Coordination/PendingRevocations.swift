import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Refresh tokens of ended sessions that could not be revoked yet, as the bytes that a store keeps.
///
/// At most 16 tokens and 786,432 bytes are kept, each token for at most 30 days and 20 attempts.
struct PendingRevocations: Sendable {
    struct Entry: Sendable, Hashable {
        let token: Secret
        /// The `sub` of the session that the token belonged to; `nil` for none.
        let subject: String?
        /// Seconds since 1970.
        let since: Double
        var attempts: Int
    }

    private(set) var entries: [Entry] = []

    static let maximumCount = 16
    static let maximumAge = 30.0 * 86_400
    static let maximumAttempts = 20
    /// The limits for writing and reading: those of a session, so that its refresh token fits.
    private static let limits = StoredSession.limits

    init() {}

    /// - Throws: `corrupted`, also for a value of a newer version.
    init(_ bytes: [UInt8]) throws(StorageFailure) {
        guard let object = try? JSONObject(parsing: bytes, limits: Self.limits), object["version"]?.integer == 1,
            let values = object["revocations"]?.array
        else { throw .corrupted }
        for value in values.suffix(Self.maximumCount) {
            guard let entry = value.object, let token = entry["refresh_token"]?.string,
                let since = entry["since"]?.number, let attempts = entry["attempts"]?.integer
            else { throw .corrupted }
            let subject = entry["sub"]?.string
            entries.append(Entry(token: Secret(token), subject: subject, since: since, attempts: attempts))
        }
    }

    var bytes: [UInt8] {
        let values = entries.map { entry in
            var object: JSONObject = [
                "refresh_token": .string(entry.token.reveal()), "since": .number(entry.since),
                "attempts": .integer(entry.attempts),
            ]
            object["sub"] = entry.subject.map { .string($0) }
            return JSONValue.object(object)
        }
        return (["version": 1, "revocations": .array(values)] as JSONObject).encoded()
    }

    /// Adds a token; of too many, or too large ones, the oldest are given up.
    mutating func add(_ token: Secret, of subject: String?, now: Date) {
        remove(token)
        entries.append(Entry(token: token, subject: subject, since: now.timeIntervalSince1970, attempts: 0))
        entries = Array(entries.suffix(Self.maximumCount))
        fit()
    }

    /// Forgets a token.
    mutating func remove(_ token: Secret) { entries.removeAll { $0.token == token } }

    /// Counts an attempt that failed.
    mutating func countAttempt(of token: Secret) {
        for index in entries.indices where entries[index].token == token { entries[index].attempts += 1 }
        fit()
    }

    /// Drops the oldest tokens until the rest can be read again.
    private mutating func fit() {
        while !entries.isEmpty, bytes.count > Self.limits.maximumBytes { entries.removeFirst() }
    }

    /// Drops tokens that were tried too often or are too old; a clock that was set back does not extend their time.
    mutating func giveUp(now: Date) {
        entries.removeAll { entry in
            let age = now.timeIntervalSince1970 - entry.since
            return entry.attempts >= Self.maximumAttempts || !(-86_400...Self.maximumAge ~= age)
        }
    }
}
