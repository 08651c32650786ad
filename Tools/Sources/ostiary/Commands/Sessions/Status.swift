import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary status`: whether a profile is signed in.
struct Status: SessionCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show whether you are signed in.",
        discussion: """
            Sends nothing. The exit status is 0 when the stored session has a token that is
            valid or can be refreshed, and 6 when you have to sign in.

            EXAMPLES
              ostiary status
              ostiary status --profile work || ostiary login --profile work
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let profile = Profile(name: place.profile, store: place.store.open())
        guard let record = try await profile.record() else {
            throw await ExplainedError(noSession: place, hasClient: false)
        }
        let client = try await SignInClient(record, of: profile, telling: trace)
        guard let session = try await client.restoreSession() else {
            throw ExplainedError(notSignedIn: place, hasClient: true)
        }
        return try Answer(status: session, record, place, now: .now)
    }
}

extension Answer {
    /// - Throws: ``ExplainedError`` for a session that has expired and cannot be refreshed.
    fileprivate init(
        status session: Session,
        _ record: ProfileRecord,
        _ place: SessionOptions,
        now: Date
    ) throws {
        let expiry = session.accessTokenExpiry
        let isValid = expiry.map { $0 > now } ?? true
        guard isValid || session.isRefreshable else {
            throw ExplainedError(
                SignInError(.storage, .signInRequired),
                "The session of profile \"\(place.profile)\" expired at \(expiry?.internetTime ?? "an unknown time").",
                advice: "Run: \(LoginLine(place).text)"
            )
        }
        members = [
            "profile": .string(place.profile.description), "issuer": .string(record.issuer.description),
            "clientID": .string(record.clientID), "subject": session.identity.map { .string($0.subject) } ?? .null,
            "scope": .string(session.scopes.text), "tokenType": .string(session.tokenType),
            "expiresAt": expiry.json, "refreshable": .bool(session.isRefreshable), "endsAt": session.expectedEnd.json,
        ]
        var table = ClaimsTable()
        table.add("issuer", record.issuer.description)
        table.add("client id", record.clientID)
        if let identity = session.identity {
            table.add("user", identity.claims["preferred_username"]?.string ?? identity.subject)
        }
        table.add("scope", session.scopes.text)
        if let expiry {
            let seconds = Int(expiry.timeIntervalSince(now))
            table.add(
                "access token",
                seconds > 0 ? "valid for \(seconds.inWords)" : "expired; refreshed when it is used"
            )
        }
        table.add("refreshable", session.isRefreshable ? "yes" : "no")
        text = "Signed in (profile \"\(place.profile)\")\n\n" + table.text
    }
}
