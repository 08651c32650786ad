import OstiaryServer

/// Records, races and cleaning up.
extension ServerStoreCheck {
    func checkVerifications() async throws {
        let promise = "The newest record of a subject is kept as it is, until it is removed."
        func read(_ subject: String) async throws -> ServerVerificationRecord? {
            try await asked(promise) { try await store.verification(of: subject) }
        }
        func save(_ record: ServerVerificationRecord) async throws {
            try await asked(promise) { try await store.save(record) }
        }
        func record(_ subject: String, _ seconds: Double, campus: String? = nil) -> ServerVerificationRecord {
            ServerVerificationRecord(
                verified: true,
                subject: subject,
                cohort: "0",
                campus: campus,
                verifiedAt: at(seconds)
            )
        }
        try expect(try await read("absent"), nil, promise)
        try await save(record("pär", 10, campus: "서울 '\"\\;--"))
        try expect(try await read("pär"), record("pär", 10, campus: "서울 '\"\\;--"), promise)
        try expect(try await read("pa\u{308}r"), nil, promise)
        try expect(try await read("PÄR"), nil, promise)
        try await save(record("pär", 9.999, campus: "older"))
        try expect(try await read("pär")?.verifiedAt, at(10), promise)
        try await save(record("pär", 11))
        try expect(try await read("pär"), record("pär", 11), promise)
        try await asked(promise) { try await store.removeVerification(of: "pär") }
        try await asked(promise) { try await store.removeVerification(of: "pär") }
        try expect(try await read("pär"), nil, promise)
    }

    func checkRaces() async throws {
        let promise = "Of many instances that do the same thing at once, as many succeed as may."
        let racing = session("racing")
        _ = try await asked(promise) { try await store.insert(racing) }
        _ = try await asked(promise) { try await store.put([1], as: digest("prize"), until: at(60), now: start) }
        var next = racing
        next.version = 1
        let replacement = next
        try await race(instances, promise, winners: 1) {
            try await $0.claim(digest("race"), for: digest("same"), until: at(60), answeredBy: at(30), now: start)
                == .claimed
        }
        try await race(instances, promise, winners: 1) { try await $0.take(digest("prize"), now: start) != nil }
        try await race(instances, promise, winners: 1) { store in
            let answer = try await store.lease(racing.id, version: 0, owner: "one", until: at(10), now: start)
            guard case .granted(let lease) = answer else { return false }
            return try await store.markShown(lease, now: start)
        }
        try await race(instances, promise, winners: 1) { try await $0.replace(with: replacement, now: start) }
    }

    func checkCleanup() async throws {
        let promise = "removeExpired removes expired entries in batches, and nothing else."
        let late: Double = 1_000_000
        func clean(_ limit: Int, _ now: Double) async throws -> Int {
            try await asked(promise) { try await store.removeExpired(limit: limit, now: at(now)) }
        }
        // Everything of the checks before, and then a known number of entries.
        while try await clean(1000, late) > 0 {}
        for number in 0..<5 {
            _ = try await asked(promise) {
                try await store.insert(
                    digest("old \(number)"),
                    owner: digest("cleaned"),
                    until: at(late + 10),
                    now: at(late)
                )
            }
        }
        _ = try await asked(promise) {
            try await store.put([1], as: digest("young"), until: at(late + 20), now: at(late))
        }
        try expect(try await clean(100, late), 0, promise)
        try expect(try await clean(3, late + 10), 3, promise)
        try expect(try await clean(100, late + 10), 2, promise)
        try expect(try await clean(100, late + 10), 0, promise)
        try expect(
            try await asked(promise) { try await store.take(digest("young"), now: at(late + 19)) },
            [1],
            promise
        )
    }
}
