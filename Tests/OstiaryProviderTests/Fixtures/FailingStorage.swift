import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider

/// A storage in memory that takes a limited number of records, or removes none, while it fails.
struct FailingStorage: StorageOverMemory {
    private final class Allowance: Sendable {
        let records = Lock<Int?>(nil)
        let failingRemovals = Lock(0)

        /// Takes room for records; all of them or none.
        func take(_ count: Int) -> Bool {
            records.withLock { left in
                guard let room = left else { return true }
                guard count <= room else { return false }
                left = room - count
                return true
            }
        }
    }

    let memory = MemoryProviderStorage()
    private let allowance = Allowance()

    /// Fails to write any record beyond these; `nil` fails no more.
    func fail(after records: Int?) { allowance.records.withLock { $0 = records } }

    /// Fails to remove records so many times.
    func failRemovals(_ count: Int) { allowance.failingRemovals.withLock { $0 = count } }

    func put(_ record: ProviderRecord) async throws(ProviderStorageFailure) {
        guard allowance.take(1) else { throw ProviderStorageFailure("write a record") }
        await memory.put(record)
    }
    func put(_ records: [ProviderRecord]) async throws(ProviderStorageFailure) {
        guard allowance.take(records.count) else { throw ProviderStorageFailure("write records") }
        for record in records { await memory.put(record) }
    }
    func replaceAll(with records: [ProviderRecord.Stored]) async throws(ProviderStorageFailure) {
        guard allowance.take(records.count) else { throw ProviderStorageFailure("replace every record") }
        await memory.replaceAll(with: records)
    }
    func remove(_ selection: ProviderRecord.Selection) async throws(ProviderStorageFailure) {
        let fails = allowance.failingRemovals.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        guard !fails else { throw ProviderStorageFailure("remove records") }
        await memory.remove(selection)
    }
}
