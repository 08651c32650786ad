public import Logging
import Metrics
import OstiaryPostgreSQL
import OstiarySQLite
public import OstiaryServer

/// The store that the configuration asks for, with what running it needs.
public struct BackendStore: Sendable {
    private enum Kind {
        case memory
        case sqlite(SQLiteServerStore)
        case postgreSQL(PostgreSQLServerStore)
    }

    /// What the kit is given.
    public let store: any ServerStore
    private let kind: Kind

    /// Opens a file, or describes a database; nothing connects yet.
    ///
    /// - Parameters:
    ///   - settings: Which.
    ///   - proofs: How many proofs of one key are remembered.
    ///   - logger: Told what goes wrong. Default: nobody is told.
    /// - Throws: `SQLiteFailure` when the file cannot be used.
    public init(
        _ settings: StoreSettings,
        proofsPerKey proofs: Int = 10_000,
        logger: Logger = Logger(label: "ostiary.backend", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        switch settings {
        case .memory:
            kind = .memory
            store = MemoryServerStore()
        case .sqlite(let path):
            let opened = try SQLiteServerStore(path: path, replayRoom: proofs) { failure in
                Self.count("\(failure)")
                logger.error("store", metadata: ["failure": .string(failure.description)])
            }
            kind = .sqlite(opened)
            store = opened
        case .postgreSQL(let configuration):
            let described = PostgreSQLServerStore(configuration, replayRoom: proofs) { failure in
                Self.count(failure.name)
                logger.error("store", metadata: ["failure": .string(failure.description)])
            }
            kind = .postgreSQL(described)
            store = described
        }
    }

    /// Brings the tables to the version of the program; a file is brought there when it is opened.
    ///
    /// - Throws: `PostgreSQLFailure`.
    public func migrate() async throws {
        if case .postgreSQL(let store) = kind { try await store.migrate() }
    }

    private static func count(_ failure: String) {
        Counter(label: "ostiary_store_failures", dimensions: [("failure", failure)]).increment()
    }

    /// Asks whether the store answers and has tables that this program can use: those of a later program, too, unless that
    /// has changed what this one needs.
    ///
    /// - Throws: What is wrong.
    public func check() async throws {
        switch kind {
        case .memory: break
        case .sqlite(let store): _ = try await store.verification(of: "")
        case .postgreSQL(let store):
            let found: Int
            do throws(PostgreSQLFailure) {
                found = try await store.schemaVersion()
            } catch {
                // There is not one table yet.
                if case .refused(_, "42P01") = error { throw BackendFailure.migrationNeeded }
                throw error
            }
            guard found >= PostgreSQLServerStore.neededSchemaVersion else { throw BackendFailure.migrationNeeded }
        }
    }

    /// Ends all use.
    public func close() async {
        switch kind {
        case .memory: break
        case .sqlite(let store): store.close()
        case .postgreSQL(let store): await store.close()
        }
    }
}

/// Why a service does not start.
public enum BackendFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The tables are older than the program.
    case migrationNeeded
    /// The certificate or its key cannot be used.
    case certificate(String)

    /// What to do about it.
    public var description: String {
        switch self {
        case .migrationNeeded:
            "The tables are missing, or older than this program: run ostiary-backend migrate first."
        case .certificate(let file): "The certificate or key in \(file) cannot be used."
        }
    }
}
