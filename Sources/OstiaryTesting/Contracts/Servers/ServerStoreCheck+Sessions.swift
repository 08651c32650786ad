import OstiaryServer

/// Sessions, and the leases of their refresh tokens.
extension ServerStoreCheck {
    private func read(_ id: StoreDigest, _ now: Double, _ promise: String) async throws -> ServerSessionRecord? {
        try await asked(promise) { try await store.session(id, now: at(now)) }
    }

    func checkSessions() async throws {
        let promise = "A session is read as it was kept, and replaced only by one who read it last."
        var session = session("session", sessionID: "sid")
        try expect(try await read(session.id, 0, promise), nil, promise)
        try expect(try await asked(promise) { try await store.insert(session) }, true, promise)
        try expect(try await asked(promise) { try await store.insert(session) }, false, promise)
        try expect(try await read(session.id, 99.999, promise), session, promise)
        try expect(try await read(session.id, 100, promise), nil, promise)
        let old = session
        session.version = 1
        session.idleExpiry = at(2000)
        session.sealed = []
        try expect(try await asked(promise) { try await store.replace(with: session, now: at(1)) }, true, promise)
        try expect(try await asked(promise) { try await store.replace(with: session, now: at(1)) }, false, promise)
        try expect(try await asked(promise) { try await store.replace(with: old, now: at(1)) }, false, promise)
        try expect(try await read(session.id, 999.999, promise), session, promise)
        try expect(try await read(session.id, 1000, promise), nil, promise)
        session.version = 2
        try expect(try await asked(promise) { try await store.replace(with: session, now: at(1000)) }, false, promise)
        try await asked(promise) { try await store.remove(session.id) }
        try await asked(promise) { try await store.remove(session.id) }
        try expect(try await read(session.id, 1, promise), nil, promise)
    }

    func checkSessionUse() async throws {
        let promise = "A session that is used ends later, and is otherwise as it was; it never ends sooner for that."
        var session = session("used")
        func extendIdle(_ end: Double, _ now: Double) async throws -> Bool {
            try await asked(promise) { try await store.extendIdle(session.id, until: at(end), now: at(now)) }
        }
        try expect(try await extendIdle(200, 0), false, promise)
        _ = try await asked(promise) { try await store.insert(session) }
        let lease = RefreshLease(session: session.id, version: 0, owner: "a", expiry: at(10))
        try expect(try await self.lease(session, "a", 0, promise), .granted(lease), promise)
        try expect(try await extendIdle(200, 1), true, promise)
        session.idleExpiry = at(200)
        try expect(try await read(session.id, 199.999, promise), session, promise)
        try expect(try await extendIdle(150, 2), true, promise)
        try expect(try await read(session.id, 199.999, promise), session, promise)
        try expect(try await markShown(lease, 3, promise), true, promise)
        try expect(try await extendIdle(300, 200), false, promise)
        try expect(try await read(session.id, 200, promise), nil, promise)
        // Extending the idle time does not extend the session's own end.
        try expect(try await extendIdle(5000, 199), true, promise)
        try expect(try await read(session.id, 1000, promise), nil, promise)
    }

    func checkSessionVersions() async throws {
        let promise = "A session is removed only in the version that was read: one that was replaced meanwhile stays."
        var session = session("versioned")
        func remove(_ version: Int) async throws -> Bool {
            try await asked(promise) { try await store.remove(session.id, version: version) }
        }
        try expect(try await remove(0), false, promise)
        _ = try await asked(promise) { try await store.insert(session) }
        session.version = 1
        try expect(try await asked(promise) { try await store.replace(with: session, now: at(1)) }, true, promise)
        try expect(try await remove(0), false, promise)
        try expect(try await read(session.id, 1, promise), session, promise)
        try expect(try await remove(1), true, promise)
        try expect(try await read(session.id, 1, promise), nil, promise)
    }

    func checkLogouts() async throws {
        let promise = "A logout token ends the sessions of its issuer, subject and session identifier, and no others."
        let sessions = [
            session("one", subject: "ann", sessionID: "1"), session("two", subject: "ann", sessionID: "2"),
            session("three", subject: "ann"), session("four", subject: "bob", sessionID: "1"),
            session("five", subject: "ännchen"), session("six", subject: "a\u{308}nnchen"),
        ]
        for session in sessions { _ = try await asked(promise) { try await store.insert(session) } }
        func end(_ subject: String?, _ sessionID: String?, issuer: String = "https://issuer.example") async throws
            -> Set<StoreDigest>
        {
            let ended = try await asked(promise) {
                try await store.removeSessions(issuer: issuer, subject: subject, sessionID: sessionID)
            }
            return Set(ended.map(\.id))
        }
        try expect(try await end(nil, nil), [], promise)
        try expect(try await end("ann", "1", issuer: "https://other.example"), [], promise)
        try expect(try await end("ann", "1"), [digest("one")], promise)
        try expect(try await end("ann", nil), [digest("two"), digest("three")], promise)
        try expect(try await end(nil, "1"), [digest("four")], promise)
        try expect(try await end("ännchen", nil), [digest("five")], promise)
        try expect(try await read(digest("six"), 1, promise)?.id, digest("six"), promise)
        try expect(try await read(digest("one"), 1, promise), nil, promise)
    }

    func checkSessionLists() async throws {
        let promise = "A list of sessions has those of one issuer and subject that have not expired, the newest first."
        let issuer = "https://issuer.example"
        for (index, subject) in ["cyd", "cyd", "cyd", "dan"].enumerated() {
            let listed = ServerSessionRecord(
                id: digest("listed \(index)"),
                issuer: issuer,
                subject: subject,
                sessionID: nil,
                keyThumbprint: index == 0 ? nil : "thumbprint",
                created: at(Double(index)),
                absoluteExpiry: at(index == 1 ? 50 : 1000),
                idleExpiry: at(100),
                sealed: [UInt8(index)]
            )
            _ = try await asked(promise) { try await store.insert(listed) }
        }
        func list(_ now: Double, issuer: String = issuer, limit: Int = 10) async throws -> [StoreDigest] {
            try await asked(promise) {
                try await store.sessions(issuer: issuer, subject: "cyd", limit: limit, now: at(now)).map(\.id)
            }
        }
        try expect(try await list(4), [digest("listed 2"), digest("listed 1"), digest("listed 0")], promise)
        try expect(try await list(4, limit: 1), [digest("listed 2")], promise)
        try expect(try await list(50), [digest("listed 2"), digest("listed 0")], promise)
        try expect(try await list(4, issuer: "https://other.example"), [], promise)
    }

    private func lease(_ session: ServerSessionRecord, _ owner: String, _ now: Double, _ promise: String) async throws
        -> RefreshLeaseAnswer
    {
        try await asked(promise) {
            try await store.lease(
                session.id,
                version: session.version,
                owner: owner,
                until: at(now + 10),
                now: at(now)
            )
        }
    }

    private func markShown(_ lease: RefreshLease, _ now: Double, _ promise: String) async throws -> Bool {
        try await asked(promise) { try await store.markShown(lease, now: at(now)) }
    }

    func checkLeases() async throws {
        try await checkLeaseOwners()
        try await checkShownTokens()
    }

    private func checkLeaseOwners() async throws {
        let promise =
            "One owner has the lease of a session as it was read, until it expires or the session is replaced."
        var session = session("leased")
        try expect(try await lease(session, "a", 0, promise), .superseded, promise)
        _ = try await asked(promise) { try await store.insert(session) }
        let a = RefreshLease(session: session.id, version: 0, owner: "a", expiry: at(10))
        try expect(try await lease(session, "a", 0, promise), .granted(a), promise)
        try expect(try await lease(session, "a", 1, promise), .held(until: at(10)), promise)
        try expect(try await lease(session, "b", 9.999, promise), .held(until: at(10)), promise)
        let b = RefreshLease(session: session.id, version: 0, owner: "b", expiry: at(20))
        try expect(try await lease(session, "b", 10, promise), .granted(b), promise)
        try expect(try await markShown(a, 11, promise), false, promise)
        try await asked(promise) { try await store.release(a) }
        try expect(try await lease(session, "c", 11, promise), .held(until: at(20)), promise)
        try expect(try await markShown(b, 12, promise), true, promise)
        session.version = 1
        try expect(try await asked(promise) { try await store.replace(with: session, now: at(13)) }, true, promise)
        var old = session
        old.version = 0
        try expect(try await lease(old, "c", 14, promise), .superseded, promise)
        let c = RefreshLease(session: session.id, version: 1, owner: "c", expiry: at(24))
        try expect(try await lease(session, "c", 14, promise), .granted(c), promise)
        try await asked(promise) { try await store.remove(session.id) }
        try expect(try await markShown(c, 15, promise), false, promise)
    }

    private func checkShownTokens() async throws {
        let promise =
            "A refresh token is presented once: its outcome is unknown until the session is replaced or the lease released."
        let session = session("shown")
        _ = try await asked(promise) { try await store.insert(session) }
        let a = RefreshLease(session: session.id, version: 0, owner: "a", expiry: at(10))
        try expect(try await lease(session, "a", 0, promise), .granted(a), promise)
        try expect(try await markShown(a, 10, promise), false, promise)
        try expect(try await markShown(a, 9.999, promise), true, promise)
        try expect(try await markShown(a, 9.999, promise), false, promise)
        try expect(try await lease(session, "b", 10, promise), .lost, promise)
        try await asked(promise) { try await store.release(a) }
        let b = RefreshLease(session: session.id, version: 0, owner: "b", expiry: at(21))
        try expect(try await lease(session, "b", 11, promise), .granted(b), promise)
        try expect(try await markShown(a, 12, promise), false, promise)
        try expect(try await markShown(b, 12, promise), true, promise)
    }
}
