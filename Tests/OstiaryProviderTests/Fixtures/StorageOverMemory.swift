import OstiaryProvider

/// A storage of the tests that keeps its records in memory, and differs from that in what it implements itself.
protocol StorageOverMemory: ProviderStorage {
    var memory: MemoryProviderStorage { get }
}

extension StorageOverMemory {
    func put(_ records: [ProviderRecord]) async throws(ProviderStorageFailure) {
        for record in records { try await put(record) }
    }
    func add(_ record: ProviderRecord) async throws(ProviderStorageFailure) -> Bool { await memory.add(record) }
    func replace(
        _ former: ProviderRecord,
        with record: ProviderRecord
    ) async throws(ProviderStorageFailure) -> Bool { await memory.replace(former, with: record) }
    func record(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord? {
        await memory.record(kind, key)
    }
    func records(_ kind: ProviderRecord.Kind) async throws(ProviderStorageFailure) -> [ProviderRecord] {
        await memory.records(kind)
    }
    func use(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord.Use {
        await memory.use(kind, key)
    }
    func wasUsed(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> Bool {
        await memory.wasUsed(kind, key)
    }
    func remove(_ selection: ProviderRecord.Selection) async throws(ProviderStorageFailure) {
        await memory.remove(selection)
    }
    func contents() async throws(ProviderStorageFailure) -> [ProviderRecord.Stored] { await memory.contents() }
    func replaceAll(with records: [ProviderRecord.Stored]) async throws(ProviderStorageFailure) {
        await memory.replaceAll(with: records)
    }
}
