public import Foundation
public import Logging
import Metrics
import OstiaryHummingbird
import OstiaryPostgreSQL
import OstiarySQLite
public import OstiaryServer
public import Tracing

/// The configured store, with the services that it needs.
public struct BackendStore: Sendable {
    private enum Kind {
        case memory
        case sqlite(SQLiteServerStore)
        case postgreSQL(PostgreSQLServerStore)
    }

    /// The store that the library uses.
    public let store: any ServerStore
    private let kind: Kind
    /// The store of replays and limits, where it is another one.
    private let requests: RequestStore?

    /// Opens a file, or describes a database; nothing connects yet.
    ///
    /// - Parameters:
    ///   - settings: The kind of store.
    ///   - requests: Another store for replays and limits; it is closed with this one. Default: none.
    ///   - proofs: The number of proofs of one key that are remembered.
    ///   - tracer: The tracer of the calls. Default: the process's.
    ///   - logger: The log for database errors. Default: none.
    /// - Throws: `SQLiteFailure` when the file cannot be used.
    public init(
        _ settings: StoreSettings,
        requests: RequestStore? = nil,
        proofsPerKey proofs: Int = 10_000,
        tracer: (any Tracer)? = nil,
        logger: Logger = Logger(label: "ostiary.backend", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        self.requests = requests
        func measured(_ store: any ServerStore) -> MeasuredServerStore {
            MeasuredServerStore(store, replaysAndLimits: requests?.store, tracer: tracer)
        }
        switch settings {
        case .memory:
            kind = .memory
            store = measured(MemoryServerStore())
        case .sqlite(let path):
            let opened = try SQLiteServerStore(path: path, replayRoom: proofs) { failure in
                Self.count("\(failure)")
                logger.error("store", metadata: ["failure": .string(failure.description)])
            }
            kind = .sqlite(opened)
            store = measured(opened)
        case .postgreSQL(let configuration):
            let described = PostgreSQLServerStore(configuration, replayRoom: proofs) { failure in
                Self.count(failure.name)
                logger.error("store", metadata: ["failure": .string(failure.description)])
            }
            kind = .postgreSQL(described)
            store = measured(described)
        }
    }

    /// Migrates the tables to the program's version; a SQLite file is migrated when it is opened.
    ///
    /// - Throws: `PostgreSQLFailure`.
    public func migrate() async throws {
        if case .postgreSQL(let store) = kind { try await store.migrate() }
    }

    /// The use of the database's connections; `nil` for a store without any.
    var connections: (@Sendable () -> StandingMetrics.StoreConnections)? {
        guard case .postgreSQL(let store) = kind else { return nil }
        return {
            let use = store.connectionUse
            return (use.inUse, use.waiting, use.maximum)
        }
    }

    private static func count(_ failure: String) {
        Counter(label: "ostiary_store_failures", dimensions: [("failure", failure)]).increment()
    }

    /// The difference from the database's clock that a check for readiness reports.
    static let noticeableOffset = Duration.seconds(5)
    /// The largest difference from the database's clock with which an instance may serve.
    ///
    /// Two instances then differ by at most 20 seconds. The lifetime of a lease is a minute: 40 seconds are left for a
    /// refresh, before it counts as crashed. Its requests end after 25, the checks of the response after 30.
    static let largestOffset = Duration.seconds(10)

    /// Checks that the store answers, has tables that this program can use, and has the same time.
    ///
    /// Tables of a later program are usable unless it changed what this one needs.
    ///
    /// - Parameter now: This machine's clock. Default: the system's.
    /// - Returns: The time by which the database's clock is ahead; zero for a store on this machine.
    /// - Throws: The store's error, ``BackendFailure/migrationNeeded``, or ``BackendFailure/clock(_:)``.
    @discardableResult
    public func check(now: @escaping @Sendable () -> Date = { Date() }) async throws -> Duration {
        try await requests?.check()
        switch kind {
        case .memory: return .zero
        case .sqlite(let store):
            _ = try await store.verification(of: "")
            return .zero
        case .postgreSQL(let store):
            let found: Int
            do throws(PostgreSQLFailure) {
                found = try await store.schemaVersion()
            } catch {
                // There are no tables yet.
                if case .refused(_, "42P01") = error { throw BackendFailure.migrationNeeded }
                throw error
            }
            guard found >= PostgreSQLServerStore.neededSchemaVersion else { throw BackendFailure.migrationNeeded }
            let offset = try await store.clockOffset(now: now)
            guard abs(offset / .seconds(1)) <= Self.largestOffset / .seconds(1) else {
                throw BackendFailure.clock(offset)
            }
            return offset
        }
    }

    /// Closes the store.
    public func close() async {
        await requests?.close()
        switch kind {
        case .memory: break
        case .sqlite(let store): store.close()
        case .postgreSQL(let store): await store.close()
        }
    }
}

/// The reason that a service does not start.
public enum BackendFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The tables are older than the program.
    case migrationNeeded
    /// The certificate or its key cannot be used.
    case certificate(String)
    /// This machine's clock differs too much from the database's, which is ahead by that time.
    case clock(Duration)
    /// The service cannot listen at an address; the second text is the system's reason.
    case address(String, String)

    /// The problem and its fix.
    public var description: String {
        switch self {
        case .migrationNeeded:
            "The tables are missing or older than this program. Run: ostiary-backend migrate"
        case .certificate(let file):
            "Cannot use the certificate and key in \(file): check that both are PEM and belong together."
        case .clock(let offset):
            "The clock of this machine is \(Int(abs(offset / .seconds(1)).rounded())) seconds "
                + "\(offset > .zero ? "behind" : "ahead of") the database's; at most "
                + "\(Int(BackendStore.largestOffset / .seconds(1))) are allowed. Set both by NTP: chronyc tracking"
        case .address(let address, let reason):
            "Cannot listen on \(address): \(reason). End the program that listens there, or set another port."
        }
    }
}
