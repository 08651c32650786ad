import Backend
import Foundation
import OstiaryServer

/// The conditions that must hold after a run, whatever was killed in it.
struct Invariants {
    /// The results of the conditions, one line each.
    var lines: [String] = []
    var hold = true

    init(
        provider: LoadProvider.Counts,
        answered: [String],
        missingSessions: Int,
        mayEndSessions: Bool,
        reports: [Figures.Report],
        faults: [FaultReport],
        configuration: BackendConfiguration
    ) async throws {
        func count(_ kind: String, in names: String...) -> Int {
            reports.filter { names.isEmpty || names.contains($0.name) }.reduce(0) { $0 + ($1.kinds[kind] ?? 0) }
        }
        let sessions = provider.sessions
        check("every code was presented to the provider at most once", provider.shownTwice + sessions.codesShownTwice)
        check("no app got another user's response", count("200 for another user"))
        check(
            "each of \(answered.count) confirmed redemptions is in the store",
            try await Self.missing(answered, configuration)
        )
        check(
            "no replayed proof was accepted",
            count("200", in: "proofs shown again", "session proofs shown again")
        )
        check(
            "none of \(sessions.refreshes) refresh tokens was presented twice"
                + (sessions.repeatedRefreshes > 0
                    ? ", but for \(sessions.repeatedRefreshes) repetitions that the issuer accepts" : ""),
            sessions.refreshTokensShownTwice
        )
        check("no access token was used after its expiry", sessions.badAccessTokens)
        check("every session exists, except those whose end a response reported", missingSessions)
        if !mayEndSessions {
            check("no session ended", count("session ended"))
        }
        check("at least one code was redeemed", answered.count, isNone: false)
        check(
            "at least one call with a token succeeded",
            count("200", in: "calls with bearer tokens", "calls with proofs"),
            isNone: false
        )
        check("at least one session was refreshed", sessions.refreshes, isNone: false)
        if !faults.isEmpty {
            check(
                "sessions were refreshed within a minute of the end of each fault",
                faults.count { $0.recoverySeconds == nil }
            )
        }
    }

    /// Returns the number of subjects that are not in the store; a restarted database may need a moment.
    private static func missing(_ subjects: [String], _ configuration: BackendConfiguration) async throws -> Int {
        let store = try BackendStore(configuration.store)
        var missing = 0
        for subject in subjects where try await !isVerified(subject, in: store) { missing += 1 }
        await store.close()
        return missing
    }

    private static func isVerified(_ subject: String, in store: BackendStore) async throws -> Bool {
        for attempt in 0..<20 {
            if let found = try? await store.store.verification(of: subject) { return found.verified }
            await pause(before: attempt)
        }
        return try await store.store.verification(of: subject)?.verified == true
    }

    private mutating func check(_ sentence: String, _ count: Int, isNone: Bool = true) {
        let isGood = (count == 0) == isNone
        hold = hold && isGood
        lines.append("\(isGood ? "holds" : "BROKEN (\(count))"): \(sentence)")
    }
}
