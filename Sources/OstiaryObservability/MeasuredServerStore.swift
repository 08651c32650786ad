#if Hummingbird || Vapor
    import Metrics
    public import OstiaryOAuth
    public import OstiaryServer
    public import Tracing

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Measures the calls of a store with the timer `ostiary_store`, by operation and outcome, and with a span around each.
    ///
    /// The service's `/metrics` has it as `ostiary_store_seconds`; another backend of swift-metrics names units as it does.
    ///
    /// The time includes the wait for a free connection. The outcome is `ok`, `unavailable`, `locked` or `corrupted`. A span is
    /// called `store OPERATION`, is a part of the span of the request that caused it, and has no attribute but the failure
    /// (`error.type`).
    ///
    ///     let store = MeasuredServerStore(PostgreSQLServerStore(configuration))
    public struct MeasuredServerStore: ServerStore {
        private let store: any ServerStore
        private let requests: any ReplayStore & RateLimitStore
        private let spans: SpanSource

        /// Measures a store with the process's metrics.
        ///
        /// - Parameters:
        ///   - store: The store.
        ///   - requests: Another store for replays and limits, which each request writes. Default: `store`.
        ///   - tracer: The tracer of the spans. Default: the process's.
        public init(
            _ store: any ServerStore,
            replaysAndLimits requests: (any ReplayStore & RateLimitStore)? = nil,
            tracer: (any Tracer)? = nil
        ) {
            self.store = store
            self.requests = requests ?? store
            spans = SpanSource(tracer)
        }

        private func measured<Value>(
            _ operation: String,
            _ call: () async throws(StorageFailure) -> Value
        ) async throws(StorageFailure) -> Value {
            let start = ContinuousClock.now
            let span = spans.begin("store \(operation)", .client)
            defer { span.end() }
            do throws(StorageFailure) {
                let value = try await call()
                Self.record(operation, "ok", since: start)
                return value
            } catch {
                Self.record(operation, "\(error)", since: start)
                span.fail("\(error)")
                throw error
            }
        }

        private static func record(_ operation: String, _ outcome: String, since start: ContinuousClock.Instant) {
            Metrics.Timer(label: "ostiary_store", dimensions: [("operation", operation), ("outcome", outcome)])
                .record(duration: ContinuousClock.now - start)
        }
    }

    // Replays, limits and one-time values.
    extension MeasuredServerStore {
        /// Records an identifier.
        public func insert(
            _ identifier: StoreDigest,
            owner: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> ReplayAnswer {
            try await measured("insert_replay") { () async throws(StorageFailure) in
                try await requests.insert(identifier, owner: owner, until: expiry, now: now)
            }
        }

        /// Whether an identifier is recorded.
        public func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool {
            try await measured("find_replay") { () async throws(StorageFailure) in
                try await requests.contains(identifier, now: now)
            }
        }

        /// Counts a request.
        public func take(
            _ limit: RateLimit,
            for name: StoreDigest,
            now: Date
        ) async throws(StorageFailure) -> RateLimitAnswer {
            try await measured("count_request") { () async throws(StorageFailure) in
                try await requests.take(limit, for: name, now: now)
            }
        }

        /// Stores a one-time value.
        public func put(
            _ value: [UInt8],
            as name: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await measured("put_value") { () async throws(StorageFailure) in
                try await store.put(value, as: name, until: expiry, now: now)
            }
        }

        /// Takes a one-time value.
        public func take(_ name: StoreDigest, now: Date) async throws(StorageFailure) -> [UInt8]? {
            try await measured("take_value") { () async throws(StorageFailure) in
                try await store.take(name, now: now)
            }
        }
    }

    // Codes and verifications.
    extension MeasuredServerStore {
        /// Claims a code.
        public func claim(
            _ code: StoreDigest,
            for request: StoreDigest,
            until expiry: Date,
            answeredBy deadline: Date,
            now: Date
        ) async throws(StorageFailure) -> RedemptionClaim {
            try await measured("claim_code") { () async throws(StorageFailure) in
                try await store.claim(code, for: request, until: expiry, answeredBy: deadline, now: now)
            }
        }

        /// Releases a code.
        public func release(_ code: StoreDigest, for request: StoreDigest) async throws(StorageFailure) {
            try await measured("release_code") { () async throws(StorageFailure) in
                try await store.release(code, for: request)
            }
        }

        /// Records the result of a code.
        public func record(
            _ answer: [UInt8],
            of code: StoreDigest,
            for request: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await measured("record_code") { () async throws(StorageFailure) in
                try await store.record(answer, of: code, for: request, until: expiry, now: now)
            }
        }

        /// Saves a verification.
        public func save(_ record: ServerVerificationRecord) async throws(StorageFailure) {
            try await measured("save_verification") { () async throws(StorageFailure) in try await store.save(record) }
        }

        /// Returns a verification.
        public func verification(of subject: String) async throws(StorageFailure) -> ServerVerificationRecord? {
            try await measured("read_verification") { () async throws(StorageFailure) in
                try await store.verification(of: subject)
            }
        }

        /// Removes a verification.
        public func removeVerification(of subject: String) async throws(StorageFailure) {
            try await measured("remove_verification") { () async throws(StorageFailure) in
                try await store.removeVerification(of: subject)
            }
        }
    }

    // Sessions and leases.
    extension MeasuredServerStore {
        /// Stores a session.
        public func insert(_ session: ServerSessionRecord) async throws(StorageFailure) -> Bool {
            try await measured("insert_session") { () async throws(StorageFailure) in try await store.insert(session) }
        }

        /// Returns a session.
        public func session(_ id: StoreDigest, now: Date) async throws(StorageFailure) -> ServerSessionRecord? {
            try await measured("read_session") { () async throws(StorageFailure) in
                try await store.session(id, now: now)
            }
        }

        /// Replaces a session.
        public func replace(with session: ServerSessionRecord, now: Date) async throws(StorageFailure) -> Bool {
            try await measured("replace_session") { () async throws(StorageFailure) in
                try await store.replace(with: session, now: now)
            }
        }

        /// Extends the idle expiry of a session.
        public func extendIdle(
            _ id: StoreDigest,
            until idleExpiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await measured("extend_session") { () async throws(StorageFailure) in
                try await store.extendIdle(id, until: idleExpiry, now: now)
            }
        }

        /// Removes a session.
        public func remove(_ id: StoreDigest) async throws(StorageFailure) {
            try await measured("remove_session") { () async throws(StorageFailure) in try await store.remove(id) }
        }

        /// Removes a session of a version.
        public func remove(_ id: StoreDigest, version: Int) async throws(StorageFailure) -> Bool {
            try await measured("remove_session") { () async throws(StorageFailure) in
                try await store.remove(id, version: version)
            }
        }

        /// Removes the sessions of a logout token.
        public func removeSessions(
            issuer: String,
            subject: String?,
            sessionID: String?,
            revoking revocation: @escaping @Sendable (ServerSessionRecord) -> PendingRevocation?
        ) async throws(StorageFailure) -> [ServerSessionRecord] {
            try await measured("end_sessions") { () async throws(StorageFailure) in
                try await store.removeSessions(
                    issuer: issuer,
                    subject: subject,
                    sessionID: sessionID,
                    revoking: revocation
                )
            }
        }

        /// Lists the sessions of a subject.
        public func sessions(
            issuer: String,
            subject: String,
            limit: Int,
            now: Date
        ) async throws(StorageFailure) -> [ServerSessionRecord] {
            try await measured("list_sessions") { () async throws(StorageFailure) in
                try await store.sessions(issuer: issuer, subject: subject, limit: limit, now: now)
            }
        }

        /// Takes the lease of a session.
        public func lease(
            _ session: StoreDigest,
            version: Int,
            owner: String,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> RefreshLeaseAnswer {
            try await measured("take_lease") { () async throws(StorageFailure) in
                try await store.lease(session, version: version, owner: owner, until: expiry, now: now)
            }
        }

        /// Records that a refresh token is about to be presented.
        public func markShown(_ lease: RefreshLease, now: Date) async throws(StorageFailure) -> Bool {
            try await measured("mark_lease") { () async throws(StorageFailure) in
                try await store.markShown(lease, now: now)
            }
        }

        /// Releases a lease.
        public func release(_ lease: RefreshLease) async throws(StorageFailure) {
            try await measured("release_lease") { () async throws(StorageFailure) in try await store.release(lease) }
        }
    }

    // Revocations and expired entries.
    extension MeasuredServerStore {
        /// Stores a revocation.
        public func revoke(_ record: RevocationRecord) async throws(StorageFailure) {
            try await measured("save_revocation") { () async throws(StorageFailure) in try await store.revoke(record) }
        }

        /// Returns revocations.
        public func revocations(
            since start: Date,
            after last: StoreDigest?,
            limit: Int,
            now: Date
        ) async throws(StorageFailure) -> [RevocationRecord] {
            try await measured("read_revocations") { () async throws(StorageFailure) in
                try await store.revocations(since: start, after: last, limit: limit, now: now)
            }
        }

        /// Stores a pending revocation.
        public func savePendingRevocation(_ revocation: PendingRevocation) async throws(StorageFailure) {
            try await measured("save_pending_revocation") { () async throws(StorageFailure) in
                try await store.savePendingRevocation(revocation)
            }
        }

        /// Returns pending revocations that are due.
        public func claimPendingRevocations(
            of client: StoreDigest,
            limit: Int,
            until end: Date,
            now: Date
        ) async throws(StorageFailure) -> [PendingRevocation] {
            try await measured("claim_pending_revocations") { () async throws(StorageFailure) in
                try await store.claimPendingRevocations(of: client, limit: limit, until: end, now: now)
            }
        }

        /// Removes a pending revocation.
        public func removePendingRevocation(_ name: StoreDigest) async throws(StorageFailure) {
            try await measured("remove_pending_revocation") { () async throws(StorageFailure) in
                try await store.removePendingRevocation(name)
            }
        }

        /// Removes expired entries.
        public func removeExpired(limit: Int, now: Date) async throws(StorageFailure) -> Int {
            try await measured("remove_expired") { () async throws(StorageFailure) in
                try await store.removeExpired(limit: limit, now: now)
            }
        }
    }
#endif
