import Foundation
import OstiaryJOSE
import OstiaryProvider
import ProviderServer
import Testing

/// A storage to run the contract on.
enum StorageKind: CaseIterable {
    case memory
    case sqlite

    func with(_ body: (any ProviderStorage) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryProviderStorage())
        case .sqlite:
            try await Fixtures.withTemporaryFolder { folder in
                try await body(try SQLiteProviderStorage(path: folder + "/provider.sqlite"))
            }
        }
    }
}

@Suite("The contract of the provider's storages")
struct ProviderStorageContract {
    private let moment = Date(timeIntervalSinceReferenceDate: 800_000_000.123456)

    private func record(
        _ key: String,
        _ kind: ProviderRecord.Kind = .authorizationCode,
        family: String? = nil,
        session: String? = nil,
        expires: Date? = nil
    ) -> ProviderRecord {
        ProviderRecord(
            kind: kind,
            key: key,
            family: family,
            session: session,
            value: ["text": "ä\u{0}\u{1F511}", "list": [1, 2.5, true, .null], "object": ["key": .string(key)]],
            expires: expires
        )
    }

    @Test("A provider record is read back unchanged", arguments: StorageKind.allCases)
    func roundTrip(kind: StorageKind) async throws {
        try await kind.with { storage in
            let record = record("a", family: "f", session: "s", expires: moment)
            try await storage.put(record)
            #expect(try await storage.record(.authorizationCode, "a") == record)
            #expect(try await storage.record(.authorizationCode, "b") == nil)
        }
    }

    @Test("Records that are put together are read back, in place of former ones", arguments: StorageKind.allCases)
    func together(kind: StorageKind) async throws {
        try await kind.with { storage in
            try await storage.put(record("a", family: "f"))
            try await storage.put([record("b"), record("a", family: "g"), record("c")])
            #expect(
                try await storage.records(.authorizationCode) == [record("a", family: "g"), record("b"), record("c")]
            )
        }
    }

    @Test("Record keys are unique within their kind only", arguments: StorageKind.allCases)
    func kinds(kind: StorageKind) async throws {
        try await kind.with { storage in
            for kind in ProviderRecord.Kind.allCases { try await storage.put(record("a", kind, family: kind.rawValue)) }
            for kind in ProviderRecord.Kind.allCases {
                #expect(try await storage.record(kind, "a")?.family == kind.rawValue)
            }
        }
    }

    @Test("Record keys are compared byte by byte", arguments: StorageKind.allCases)
    func keys(kind: StorageKind) async throws {
        try await kind.with { storage in
            try await storage.put(record("Key"))
            #expect(try await storage.record(.authorizationCode, "key") == nil)
            #expect(try await storage.record(.authorizationCode, "Key ") == nil)
        }
    }

    @Test("Records of a kind are listed in the order of their insertion", arguments: StorageKind.allCases)
    func order(kind: StorageKind) async throws {
        try await kind.with { storage in
            for key in ["c", "a", "b"] { try await storage.put(record(key)) }
            try await storage.put(record("a", family: "new"))
            try await storage.put(record("x", .signingKey))
            #expect(try await storage.records(.authorizationCode).map(\.key) == ["c", "a", "b"])
            #expect(try await storage.records(.consent).isEmpty)
        }
    }

    @Test("A record is used once", arguments: StorageKind.allCases)
    func use(kind: StorageKind) async throws {
        try await kind.with { storage in
            let record = record("a", family: "f")
            try await storage.put(record)
            #expect(try await storage.use(.authorizationCode, "a") == .first(record))
            #expect(try await storage.use(.authorizationCode, "a") == .again(record))
            #expect(try await storage.use(.authorizationCode, "b") == .absent)
            #expect(try await storage.record(.authorizationCode, "a") == record)
        }
    }

    @Test("A record is added once", arguments: StorageKind.allCases)
    func add(kind: StorageKind) async throws {
        try await kind.with { storage async throws in
            let first = record("a", family: "f", expires: moment)
            #expect(try await storage.add(first))
            #expect(try await !storage.add(record("a", session: "s")))
            #expect(try await storage.record(.authorizationCode, "a") == first)
            #expect(try await storage.add(record("a", .consent)))
        }
    }

    @Test("A record replaces a former one that has not changed, and is unused", arguments: StorageKind.allCases)
    func replaceFormer(kind: StorageKind) async throws {
        try await kind.with { storage in
            let (former, next) = (record("a", family: "f"), record("a", session: "s", expires: moment))
            #expect(try await !storage.replace(former, with: next))
            try await storage.put([former, record("b")])
            _ = try await storage.use(.authorizationCode, "a")
            #expect(try await storage.replace(former, with: next))
            #expect(try await !storage.replace(former, with: record("a")))
            #expect(try await storage.records(.authorizationCode) == [next, record("b")])
            #expect(try await storage.use(.authorizationCode, "a") == .first(next))
            try await storage.remove(.key(.authorizationCode, "a"))
            #expect(try await !storage.replace(next, with: former))
            #expect(try await storage.record(.authorizationCode, "a") == nil)
        }
    }

    @Test("Asking any provider storage whether a record was used does not use it", arguments: StorageKind.allCases)
    func wasUsed(kind: StorageKind) async throws {
        try await kind.with { storage in
            try await storage.put(record("a"))
            #expect(try await !storage.wasUsed(.authorizationCode, "a"))
            #expect(try await storage.use(.authorizationCode, "a") == .first(record("a")))
            #expect(try await storage.wasUsed(.authorizationCode, "a"))
            #expect(try await !storage.wasUsed(.authorizationCode, "b"))
            #expect(try await !storage.wasUsed(.consent, "a"))
        }
    }

    @Test("A record that replaces a used one is unused", arguments: StorageKind.allCases)
    func replace(kind: StorageKind) async throws {
        try await kind.with { storage in
            try await storage.put(record("a"))
            _ = try await storage.use(.authorizationCode, "a")
            let second = record("a", session: "s")
            try await storage.put(second)
            #expect(try await storage.use(.authorizationCode, "a") == .first(second))
        }
    }

    @Test("Concurrent uses of a record have one first use", arguments: StorageKind.allCases)
    func race(kind: StorageKind) async throws {
        try await kind.with { storage in
            try await storage.put(record("a"))
            let firsts = try await Self.race(20, on: [storage])
            #expect(firsts == 1)
        }
    }

    @Test("Records are removed by key, grant, login and time", arguments: StorageKind.allCases)
    func remove(kind: StorageKind) async throws {
        try await kind.with { storage in
            func keys() async throws -> [String] { try await storage.records(.authorizationCode).map(\.key) }
            try await storage.put(record("key"))
            try await storage.put(record("family", family: "f"))
            try await storage.put(record("session", session: "s"))
            try await storage.put(record("now", expires: moment))
            try await storage.put(record("later", expires: moment.addingTimeInterval(0.001)))
            try await storage.put(record("never"))
            try await storage.remove(.key(.consent, "key"))
            try await storage.remove(.family("none"))
            #expect(try await keys().count == 6)
            try await storage.remove(.key(.authorizationCode, "key"))
            try await storage.remove(.family("f"))
            try await storage.remove(.session("s"))
            try await storage.remove(.expired(at: moment))
            #expect(try await keys() == ["later", "never"])
        }
    }

    @Test("The contents of a storage are every record in its order, with its use", arguments: StorageKind.allCases)
    func contents(kind: StorageKind) async throws {
        try await kind.with { storage in
            #expect(try await storage.contents().isEmpty)
            let records = [
                record("b", family: "f", expires: moment), record("a", session: "s"), record("k", .signingKey),
            ]
            for record in records { try await storage.put(record) }
            _ = try await storage.use(.authorizationCode, "a")
            #expect(try await storage.contents().map(\.record) == records)
            #expect(try await storage.contents().map(\.isUsed) == [false, true, false])
        }
    }

    @Test("Records that replace every other one have their order and their use", arguments: StorageKind.allCases)
    func replaceAll(kind: StorageKind) async throws {
        try await kind.with { storage in
            try await storage.put([record("a"), record("old")])
            let records = [
                ProviderRecord.Stored(record("c", expires: moment), isUsed: true),
                ProviderRecord.Stored(record("a", family: "f"), isUsed: false),
            ]
            try await storage.replaceAll(with: records)
            #expect(try await storage.contents() == records)
            #expect(try await storage.record(.authorizationCode, "old") == nil)
            #expect(try await storage.use(.authorizationCode, "c") == .again(records[0].record))
            #expect(try await storage.use(.authorizationCode, "a") == .first(records[1].record))
            try await storage.put(record("d"))
            #expect(try await storage.records(.authorizationCode).map(\.key) == ["c", "a", "d"])
        }
    }

    /// Returns the number of `count` concurrent uses of the code `a` that came first.
    static func race(_ count: Int, on storages: [any ProviderStorage]) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                let storage = storages[number % storages.count]
                group.addTask {
                    if case .first = try await storage.use(.authorizationCode, "a") { true } else { false }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}
