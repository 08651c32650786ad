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
        for (name, subject) in [("with", "eve"), ("without", "eve"), ("other", "fay")] {
            let session = session("ended \(name)", subject: subject)
            _ = try await asked(promise) { try await store.insert(session) }
        }
        let issuer = "https://issuer.example"
        let (kept, revoked) = (digest("ended without"), pending("ended", client: "ended", due: 0, until: 60))
        let removed = try await asked(promise) {
            try await store.removeSessions(
                issuer: issuer,
                subject: "eve",
                sessionID: nil,
                revoking: { $0.id == kept ? nil : revoked }
            )
        }
        try expect(Set(removed.map(\.id)), [digest("ended with"), kept], promise)
        try expect(try await claim("ended", until: 60, 1, promise).map(\.name), [revoked.name], promise)
        let none = try await asked(promise) {
            try await store.removeSessions(issuer: issuer, subject: "eve", sessionID: nil, revoking: { _ in revoked })
        }
        try expect(none, [], promise)
        _ = try await asked(promise) { try await store.removeSessions(issuer: issuer, subject: "fay", sessionID: nil) }
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
