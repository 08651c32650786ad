import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A logout token that a client has not taken yet.
///
/// It is kept until the client takes it or it is given up, so that it outlives a restart. The token itself is made for
/// each attempt.
struct PendingLogout: Sendable {
    var id: String
    var clientID: String
    /// The login that has ended (`sid`).
    var session: String
    /// The user's own subject.
    var subject: String
    /// The time after which no attempt is made.
    var expires: Date
}

extension PendingLogout {
    init?(_ record: ProviderRecord) {
        guard record.kind == .pendingLogout, let expires = record.expires,
            let clientID = record.value["client_id"]?.string, let session = record.value["sid"]?.string,
            let subject = record.value["sub"]?.string
        else { return nil }
        self.init(id: record.key, clientID: clientID, session: session, subject: subject, expires: expires)
    }

    /// The record; it has no session, with which it would be removed.
    var record: ProviderRecord {
        ProviderRecord(
            kind: .pendingLogout,
            key: id,
            value: ["client_id": .string(clientID), "sid": .string(session), "sub": .string(subject)],
            expires: expires
        )
    }
}
