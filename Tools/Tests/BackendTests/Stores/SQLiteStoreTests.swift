import Foundation
import OstiaryOAuth
import OstiaryServer
import Testing

@testable import OstiarySQLite

@Suite("The file of SQLite")
struct SQLiteStoreTests {
    @Test("The file and what stands beside it is for its owner alone")
    func mode() async throws {
        let file = try TemporaryFile()
        let store = try SQLiteServerStore(path: file.path)
        _ = try await store.put([1], as: StoreDigest("x", []), until: .now + 60, now: .now)
        for suffix in ["", "-wal", "-shm"] {
            let mode = try FileManager.default.attributesOfItem(atPath: file.path + suffix)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(suffix)")
        }
    }

    @Test("A cancelled call is not reported as a failure of the file")
    func cancelledCaller() async throws {
        let file = try TemporaryFile()
        let failures = FailureList<SQLiteFailure>()
        let store = try SQLiteServerStore(path: file.path, events: failures.add)
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.put([1], as: StoreDigest("x", []), until: .now + 60, now: .now)
        }
        await #expect(throws: StorageFailure.unavailable) { try await call.value }
        #expect(failures.all.isEmpty)
    }

    @Test("A SQLite file that others may read is refused")
    func openToOthers() throws {
        let file = try TemporaryFile()
        _ = FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o644])
        #expect(throws: SQLiteFailure.cannotOpen(file.path)) { _ = try SQLiteServerStore(path: file.path) }
    }

    @Test("A file that is no SQLite database is refused and left unchanged")
    func noDatabase() throws {
        let file = try TemporaryFile()
        let text = Data(String(repeating: "not a database. ", count: 100).utf8)
        _ = FileManager.default.createFile(atPath: file.path, contents: text, attributes: [.posixPermissions: 0o600])
        #expect(throws: SQLiteFailure.cannotOpen(file.path)) { _ = try SQLiteServerStore(path: file.path) }
        #expect(FileManager.default.contents(atPath: file.path) == text)
    }

    @Test("A SQLite store in a missing folder is refused")
    func noFolder() {
        #expect(throws: SQLiteFailure.cannotOpen("/nowhere/store.sqlite")) {
            _ = try SQLiteServerStore(path: "/nowhere/store.sqlite")
        }
    }

    @Test("A SQLite file of a later version is refused")
    func newer() async throws {
        let file = try TemporaryFile()
        try SQLiteServerStore(path: file.path).close()
        let sqlite = try Conversation(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(\"INSERT INTO grdb_migrations VALUES ('9: later')\"); c.commit()",
                file.path,
            ]
        )
        _ = try await sqlite.finish()
        #expect(throws: SQLiteFailure.newerSchema) { _ = try SQLiteServerStore(path: file.path) }
    }

    @Test("The sessions of a logout token are found in SQLite by an index, whichever of subject and sid it names")
    func indexOfLogout() async throws {
        let file = try TemporaryFile()
        try SQLiteServerStore(path: file.path).close()
        let issuer = "https://issuer.example"
        for (named, compared) in [
            (NamedSessions(issuer: issuer, subject: "alice", sessionID: nil), "subject=?"),
            (NamedSessions(issuer: issuer, subject: nil, sessionID: "sid-1"), "session=?"),
            (NamedSessions(issuer: issuer, subject: "alice", sessionID: "sid-1"), "session=?"),
        ] {
            let plan = try await queryPlan(of: named.removal, in: file.path, values: named.values.count)
            let isSearch = plan.hasPrefix("SEARCH session USING") && plan.contains("INDEX session_s")
            #expect(isSearch && plan.contains(compared), "\(plan)")
        }
    }

    private func queryPlan(of statement: String, in path: String, values: Int) async throws -> String {
        let program = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            print(database.execute("EXPLAIN QUERY PLAN " + sys.argv[2], [b""] * int(sys.argv[3])).fetchone()[3])
            """
        return try await Conversation(
            "/usr/bin/env",
            ["python3", "-c", program, path, statement, "\(values)"]
        ).finish()
    }

    @Test("A full replay quota in SQLite affects its owner alone")
    func room() async throws {
        let file = try TemporaryFile()
        let store = try SQLiteServerStore(path: file.path, replayRoom: 20)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func insert(_ name: String, _ owner: String, _ seconds: Double = 0) async throws -> ReplayAnswer {
            try await store.insert(
                StoreDigest("proof", [name]),
                owner: StoreDigest("owner", [owner]),
                until: now + seconds + 10,
                now: now + seconds
            )
        }
        for number in 0..<20 { #expect(try await insert("\(number)", "greedy") == .inserted) }
        #expect(try await insert("20", "greedy") == .full)
        #expect(try await insert("3", "greedy") == .replayed)
        #expect(try await insert("20", "modest") == .inserted)
        #expect(try await insert("21", "greedy", 10) == .inserted)
    }
}
