import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The promises about revocations that an issuer has not confirmed, and about limits of lists.
extension ServerStoreCheck {
    func pending(_ name: String, client: String = "client", due: Double, until expiry: Double) -> PendingRevocation {
        PendingRevocation(
            name: digest(name),
            client: digest(client),
            sealed: Array(UInt8.min...UInt8.max),
            created: start,
            due: at(due),
            expiry: at(expiry)
        )
    }

    func claim(
        _ client: String = "client",
        limit: Int = 10,
        until end: Double,
        _ now: Double,
        _ promise: String
    ) async throws -> [PendingRevocation] {
        let claimed = try await asked(promise) {
            try await instances[instances.count - 1].claimPendingRevocations(
                of: digest(client),
                limit: limit,
                until: at(end),
                now: at(now)
            )
        }
        return claimed.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
    }

    func checkPendingRevocations() async throws {
        let promise = "A pending revocation is claimed once while it is due, until it is removed or has expired."
        var first = pending("pending", due: 10, until: 100)
        try await asked(promise) { try await store.savePendingRevocation(first) }
        try expect(try await claim(until: 20, 9.999, promise), [], promise)
        try expect(try await claim("other client", until: 20, 10, promise), [], promise)
        first.due = at(20)
        try expect(try await claim(until: 20, 10, promise), [first], promise)
        try expect(try await claim(until: 30, 19.999, promise), [], promise)
        first.due = at(15)
        try await asked(promise) { try await store.savePendingRevocation(first) }
        first.due = at(40)
        try expect(try await claim(until: 40, 15, promise), [first], promise)
        try await asked(promise) { try await store.removePendingRevocation(first.name) }
        try await asked(promise) { try await store.removePendingRevocation(first.name) }
        try expect(try await claim(until: 90, 50, promise), [], promise)
        for name in ["one", "two", "three"] {
            try await asked(promise) { try await store.savePendingRevocation(pending(name, due: 0, until: 60)) }
        }
        try expect(try await claim(limit: 2, until: 70, 1, promise).count, 2, promise)
        try expect(try await claim(until: 70, 1, promise).count, 1, promise)
        try expect(try await claim(until: 80, 70, promise), [], promise)
    }

    func checkRevocationsOfEndedSessions() async throws {
        let promise = "The revocations of sessions that a logout ends are stored with their removal."
        let sessions: [(name: String, subject: String, sessionID: String?)] = [
            ("with", "eve", nil), ("without", "eve", nil), ("first", "fay", "ended 1"), ("second", "fay", "ended 2"),
        ]
        for (name, subject, sessionID) in sessions {
            let session = session("ended \(name)", subject: subject, sessionID: sessionID)
            _ = try await asked(promise) { try await store.insert(session) }
        }
        func end(_ subject: String?, _ sessionID: String?) async throws -> Set<StoreDigest> {
            let without = digest("ended without")
            let removed = try await asked(promise) {
                try await store.removeSessions(
                    issuer: "https://issuer.example",
                    subject: subject,
                    sessionID: sessionID,
                    revoking: { $0.id == without ? nil : revocation(of: $0) }
                )
            }
            return Set(removed.map(\.id))
        }
        func revoked() async throws -> [StoreDigest] { try await claim("ended", until: 60, 1, promise).map(\.name) }
        try expect(try await end("eve", nil), [digest("ended with"), digest("ended without")], promise)
        try expect(try await revoked(), [digest("ended with")], promise)
        try expect(try await end("eve", nil), [], promise)
        try expect(try await end(nil, "ended 1"), [digest("ended first")], promise)
        try expect(try await revoked(), [digest("ended first")], promise)
        try expect(try await end("fay", nil), [digest("ended second")], promise)
        try expect(try await revoked(), [digest("ended second")], promise)
    }

    /// A revocation with the name of the session's identifier.
    private func revocation(of record: ServerSessionRecord) -> PendingRevocation {
        PendingRevocation(
            name: record.id,
            client: digest("ended"),
            sealed: record.sealed,
            created: start,
            due: start,
            expiry: at(60)
        )
    }

    func checkPendingRevocationRace() async throws {
        let promise = "Of instances that claim at the same time, each revocation goes to one."
        for number in 0..<20 {
            let revocation = pending("raced \(number)", client: "raced", due: 0, until: 100)
            try await asked(promise) { try await store.savePendingRevocation(revocation) }
        }
        let claimed = try await withThrowingTaskGroup(of: [StoreDigest].self) { group in
            for instance in instances + instances {
                group.addTask {
                    try await asked(promise) {
                        try await instance.claimPendingRevocations(
                            of: digest("raced"),
                            limit: 7,
                            until: at(200),
                            now: at(1)
                        ).map(\.name)
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try expect(Set(claimed).count, claimed.count, promise)
        try expect(claimed.isEmpty, false, promise)
    }

    func checkLimitsBelowOne() async throws {
        let promise = "A limit below 1 returns and removes nothing."
        let listed = session("limited", subject: "limited")
        _ = try await asked(promise) { try await store.insert(listed) }
        try await asked(promise) { try await store.revoke(revocation("limited", 0, 60)) }
        try await asked(promise) {
            try await store.savePendingRevocation(pending("limited", client: "limited", due: 0, until: 60))
        }
        for limit in [0, -1, Int.min] {
            let sessions = try await asked(promise) {
                try await store.sessions(issuer: listed.issuer, subject: "limited", limit: limit, now: start)
            }
            try expect(sessions, [], promise)
            let revocations = try await asked(promise) {
                try await store.revocations(since: start, after: nil, limit: limit, now: start)
            }
            try expect(revocations, [], promise)
            try expect(try await claim("limited", limit: limit, until: 70, 1, promise), [], promise)
            let removed = try await asked(promise) { try await store.removeExpired(limit: limit, now: at(1_000_000)) }
            try expect(removed, 0, promise)
        }
    }
}
