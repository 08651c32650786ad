import Foundation
import OstiaryJOSE
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Records in an SQLite file")
struct SQLiteProviderStorageTests {
    private let code = ProviderRecord(
        kind: .authorizationCode,
        key: "a",
        value: ["text": "needle-in-the-file"],
        expires: nil
    )

    @Test("A code used by two processes at once has one first use")
    func race() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let path = folder + "/provider.sqlite"
            let first = try SQLiteProviderStorage(path: path)
            let second = try SQLiteProviderStorage(path: path)
            for _ in 0..<20 {
                try await first.put(code)
                #expect(try await ProviderStorageContract.race(8, on: [first, second]) == 1)
            }
        }
    }

    @Test("A record and its use are kept after the database is closed")
    func reopen() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let path = folder + "/provider.sqlite"
            let first = try SQLiteProviderStorage(path: path)
            try await first.put(code)
            #expect(try await first.use(.authorizationCode, "a") == .first(code))
            try first.close()
            let second = try SQLiteProviderStorage(path: path)
            #expect(try await second.use(.authorizationCode, "a") == .again(code))
        }
    }

    @Test("A record that could not be read back is refused by each method, and leaves what was there")
    func unreadable() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let storage = try SQLiteProviderStorage(path: folder + "/provider.sqlite")
            try await storage.put(code)
            func record(_ depth: Int) -> ProviderRecord {
                let value = (0..<depth).reduce(JSONValue.integer(1)) { value, _ in ["a": value] }
                return ProviderRecord(kind: .consent, key: "deep", value: value.object ?? [:], expires: nil)
            }
            let deep = record(ProviderRecord.limits.maximumDepth + 1)
            let failure = ProviderStorageFailure("keep a record that is nested too deep or too large")
            await #expect(throws: failure) { try await storage.put(deep) }
            await #expect(throws: failure) { try await storage.put([deep]) }
            await #expect(throws: failure) { _ = try await storage.add(deep) }
            await #expect(throws: failure) {
                try await storage.replaceAll(with: [ProviderRecord.Stored(deep, isUsed: false)])
            }
            #expect(try await storage.contents().map(\.record) == [code])
            let good = record(ProviderRecord.limits.maximumDepth)
            try await storage.put(good)
            #expect(try await storage.records(.consent) == [good])
        }
    }

    @Test("The provider's database and journals are readable by their owner alone")
    func mode() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let path = folder + "/provider.sqlite"
            try Data().write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let storage = try SQLiteProviderStorage(path: path)
            try await storage.put(code)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(names) == ["provider.sqlite", "provider.sqlite-shm", "provider.sqlite-wal"])
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
        }
    }

    @Test("Removed records are overwritten in the database file")
    func overwritten() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let path = folder + "/provider.sqlite"
            let storage = try SQLiteProviderStorage(path: path)
            try await storage.put(code)
            try await storage.remove(.key(.authorizationCode, "a"))
            try storage.close()
            let file = try Data(contentsOf: URL(filePath: path))
            #expect(file.range(of: Data("needle-in-the-file".utf8)) == nil)
        }
    }

    @Test("A symbolic link to the provider's database is not followed")
    func link() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let path = folder + "/link.sqlite"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/elsewhere")
            #expect(throws: ProviderStorageFailure.self) { try SQLiteProviderStorage(path: path) }
        }
    }

    @Test("A file that is no database is left unchanged by the provider")
    func notADatabase() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            let path = folder + "/notes.txt"
            let text = Data(String(repeating: "not a database\n", count: 100).utf8)
            try text.write(to: URL(filePath: path))
            let failure = ProviderStorageFailure("open the database: file is not a database")
            #expect(throws: failure) { try SQLiteProviderStorage(path: path) }
            #expect(FileManager.default.contents(atPath: path) == text)
        }
    }

    @Test("A provider database in a missing folder fails")
    func noFolder() async throws {
        try await Fixtures.withTemporaryFolder { folder in
            #expect(throws: ProviderStorageFailure("open the database file: No such file or directory")) {
                try SQLiteProviderStorage(path: folder + "/none/provider.sqlite")
            }
        }
    }
}
