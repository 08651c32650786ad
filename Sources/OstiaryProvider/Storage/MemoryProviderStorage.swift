/// Keeps records until the process ends.
public actor MemoryProviderStorage: ProviderStorage {
    private struct Place: Hashable {
        var kind: ProviderRecord.Kind
        var key: String
    }

    private struct Entry {
        var record: ProviderRecord
        var order: Int
        var isUsed = false
    }

    private var entries: [Place: Entry] = [:]
    private var count = 0

    /// Makes an empty storage.
    public init() {}

    /// Keeps a record.
    public func put(_ record: ProviderRecord) {
        let place = Place(kind: record.kind, key: record.key)
        count += 1
        entries[place] = Entry(record: record, order: entries[place]?.order ?? count)
    }

    /// Keeps records.
    public func put(_ records: [ProviderRecord]) {
        for record in records { put(record) }
    }

    /// Keeps a record unless there is one.
    public func add(_ record: ProviderRecord) -> Bool {
        guard entries[Place(kind: record.kind, key: record.key)] == nil else { return false }
        put(record)
        return true
    }

    /// Keeps a record in place of a former one that has not changed.
    public func replace(_ former: ProviderRecord, with record: ProviderRecord) -> Bool {
        guard entries[Place(kind: former.kind, key: former.key)]?.record == former else { return false }
        put(record)
        return true
    }

    /// The record with a key.
    public func record(_ kind: ProviderRecord.Kind, _ key: String) -> ProviderRecord? {
        entries[Place(kind: kind, key: key)]?.record
    }

    /// Every record of a kind.
    public func records(_ kind: ProviderRecord.Kind) -> [ProviderRecord] {
        entries.values.filter { $0.record.kind == kind }.sorted { $0.order < $1.order }.map(\.record)
    }

    /// Marks a record as used.
    public func use(_ kind: ProviderRecord.Kind, _ key: String) -> ProviderRecord.Use {
        let place = Place(kind: kind, key: key)
        guard let entry = entries[place] else { return .absent }
        entries[place]?.isUsed = true
        return entry.isUsed ? .again(entry.record) : .first(entry.record)
    }

    /// Whether a record was used.
    public func wasUsed(_ kind: ProviderRecord.Kind, _ key: String) -> Bool {
        entries[Place(kind: kind, key: key)]?.isUsed ?? false
    }

    /// Every record, in the order in which they were first put.
    public func contents() -> [ProviderRecord.Stored] {
        entries.values.sorted { $0.order < $1.order }.map { ProviderRecord.Stored($0.record, isUsed: $0.isUsed) }
    }

    /// Keeps these records alone.
    public func replaceAll(with records: [ProviderRecord.Stored]) {
        entries = [:]
        for stored in records {
            put(stored.record)
            entries[Place(kind: stored.record.kind, key: stored.record.key)]?.isUsed = stored.isUsed
        }
    }

    /// Forgets records.
    public func remove(_ selection: ProviderRecord.Selection) {
        switch selection {
        case .key(let kind, let key):
            entries[Place(kind: kind, key: key)] = nil
        case .family(let family):
            entries = entries.filter { $0.value.record.family != family }
        case .session(let session):
            entries = entries.filter { $0.value.record.session != session }
        case .expired(let date):
            entries = entries.filter { $0.value.record.expires.map { $0 > date } ?? true }
        }
    }
}
