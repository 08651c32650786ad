#if Valkey
    import NIOCore
    import OstiaryCompatibility
    public import OstiaryOAuth
    public import OstiaryServer
    import Valkey

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Stores the backend kit's replays and rate limits, which each request writes, in Valkey or Redis, where all instances
    /// of a service share them and the database has none of their load.
    ///
    ///     let requests = ValkeyStore(
    ///         try ValkeyConfiguration(host: "valkey.internal", password: password,
    ///             security: .verified(certificateAuthorities: "/etc/ssl/certs/ca-certificates.crt")))
    ///     try await requests.check()
    ///     let proofs = try ProofChecking(origins: origins, replays: requests)
    ///
    /// Each call is one command. A call that throws is not repeated automatically, since it may have been carried out. While
    /// the server is unavailable every call throws, so requests with a proof or a limit are refused and none passes unchecked.
    ///
    /// It needs Valkey 7.2 or Redis 6 or later: one server, or one with replicas behind one name, and no cluster. A server that
    /// loses its memory, such as in a restart without a file or a switch to a replica that was behind, accepts the proofs of the
    /// lost time once more; with `appendonly yes` that is at most the last second.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public final class ValkeyStore: ReplayStore, RateLimitStore {
        private let pool: ValkeyPool
        private let prefix: [UInt8]
        private let room: Int
        private let report: @Sendable (ValkeyFailure) -> Void
        /// The milliseconds that an entry is kept after its expiry.
        private static let delay = 120_000
        /// The latest time, in microseconds since 1970: Lua's numbers hold it exactly.
        private static let latest = 8_000_000_000_000_000

        /// Describes a store; the first call connects.
        ///
        /// - Parameters:
        ///   - configuration: The address of the server, and the limits.
        ///   - room: The number of identifiers that are recorded for one owner, at least 1. Default 10,000.
        ///   - events: Called with each failure, of which callers see only a `StorageFailure`. Default: failures are
        ///     not reported.
        public init(
            _ configuration: ValkeyConfiguration,
            replayRoom room: Int = 10_000,
            events: @escaping @Sendable (ValkeyFailure) -> Void = { _ in }
        ) {
            pool = ValkeyPool(configuration)
            prefix = Array(configuration.keyPrefix.utf8)
            self.room = max(1, room)
            report = events
        }

        /// Checks, on a connection of its own, that the server answers and is one that keeps what it is given.
        ///
        /// - Returns: Whether the server writes each change to a file (`appendonly yes`), so that a restart forgets none.
        /// - Throws: `unreachable`, `rejected` or `refused`, `evicts` and `isCluster`, which name the fix.
        @discardableResult
        public func check() async throws(ValkeyFailure) -> Bool {
            let information = try await pool.information()
            guard let policy = information.memory?["maxmemory_policy"] else {
                throw .unexpectedAnswer(to: "describe the server")
            }
            // Without a limit nothing is removed, whatever the policy.
            if policy != "noeviction", information.memory?["maxmemory"] != "0" {
                throw .evicts(policy: String(policy))
            }
            if information.cluster?[.clusterEnabled] == "1" { throw .isCluster }
            return information.persistence?["aof_enabled"] == "1"
        }

        /// Closes the connections; every later call fails.
        public func close() { pool.close() }

        // MARK: ReplayStore

        /// Records an identifier, unless it is recorded already.
        public func insert(
            _ identifier: StoreDigest,
            owner: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> ReplayAnswer {
            let (start, end) = (Self.time(now), Self.time(expiry))
            let kept = max(0, end - start) / 1000 + Self.delay
            let answer = try await evaluate(
                "record a replay identifier",
                ValkeyScript.insertReplay,
                [key("r", identifier), key("o", owner)],
                [end, start, room, kept]
            )
            switch answer {
            case 0: return .inserted
            case 1: return .replayed
            case 2: return .full
            default: throw unexpected("record a replay identifier")
            }
        }

        /// Whether an identifier is recorded at `now`.
        public func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool {
            let purpose = "look for a replay identifier"
            let token = try await run(purpose, GET(key("r", identifier)))
            guard let token else { return false }
            guard let expiry = Int(String(token)) else { throw unexpected(purpose) }
            return expiry > Self.time(now)
        }

        // MARK: RateLimitStore

        /// Counts a request, unless it exceeds the limit.
        public func take(
            _ limit: RateLimit,
            for name: StoreDigest,
            now: Date
        ) async throws(StorageFailure) -> RateLimitAnswer {
            let interval = max(1, Self.microseconds(limit.interval.inSeconds))
            let wait = try await evaluate(
                "count a request",
                ValkeyScript.countRequest,
                [key("l", name)],
                [Self.time(now), interval, max(interval, Self.microseconds(limit.period.inSeconds)), Self.delay]
            )
            return wait > 0 ? .limited(retryAfter: .microseconds(wait)) : .allowed
        }

        // MARK: Pieces

        private func key(_ kind: String, _ name: StoreDigest) -> ValkeyKey {
            var buffer = ByteBuffer(bytes: prefix)
            buffer.writeString("\(kind):")
            buffer.writeBytes(name.bytes)
            return ValkeyKey(buffer)
        }

        private func evaluate(
            _ purpose: String,
            _ script: String,
            _ keys: [ValkeyKey],
            _ arguments: [Int]
        ) async throws(StorageFailure) -> Int {
            let token = try await run(purpose, EVAL(script: script, keys: keys, args: arguments.map { "\($0)" }))
            guard case .number(let number) = token.value, let answer = Int(exactly: number), answer >= 0 else {
                throw unexpected(purpose)
            }
            return answer
        }

        /// Carries out a command, reports its failure, and throws the caller's part of it.
        private func run<Command: ValkeyCommand>(
            _ purpose: String,
            _ command: Command
        ) async throws(StorageFailure) -> Command.Response where Command.Response: Sendable {
            do throws(ValkeyFailure) {
                return try await pool.run(purpose, command)
            } catch {
                // The caller may have left, and the server not failed.
                if !Task.isCancelled { report(error) }
                switch error {
                case .timedOut: throw .locked
                case .unexpectedAnswer: throw .corrupted
                default: throw .unavailable
                }
            }
        }

        private func unexpected(_ purpose: String) -> StorageFailure {
            report(.unexpectedAnswer(to: purpose))
            return .corrupted
        }

        private static func time(_ date: Date) -> Int { max(0, min(latest, date.microseconds)) }

        private static func microseconds(_ seconds: Double) -> Int {
            // More than three decades are as good as three.
            Int((min(1e9, max(0, seconds)) * 1_000_000).rounded())
        }
    }
#endif
