/// Keeps the provider's records.
///
/// Each method is atomic: two callers at once come out as if one had been first. In ``use(_:_:)`` that is what makes
/// a code good for one use only, in ``add(_:)`` what makes a proof so.
public protocol ProviderStorage: Sendable {
    /// Keeps a record, in place of one with the same kind and key. A record that replaces a used one is unused.
    func put(_ record: ProviderRecord) async throws(ProviderStorageFailure)

    /// Keeps a record unless there is one with the same kind and key, used or not, expired or not; tells whether it was
    /// kept. Of two callers at once one hears that it was.
    func add(_ record: ProviderRecord) async throws(ProviderStorageFailure) -> Bool

    /// The record with a key, used or not, expired or not; `nil` for none.
    func record(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord?

    /// Every record of a kind, in the order in which they were first put.
    func records(_ kind: ProviderRecord.Kind) async throws(ProviderStorageFailure) -> [ProviderRecord]

    /// Marks a record as used, and tells whether this was the first time.
    func use(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord.Use

    /// Whether a record was used; `false` when there is none.
    func wasUsed(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> Bool

    /// Forgets records. There being none is no failure.
    func remove(_ selection: ProviderRecord.Selection) async throws(ProviderStorageFailure)
}

/// The storage could not be read or written; the text names the operation, never a record's content.
public struct ProviderStorageFailure: Error, Sendable, Hashable {
    /// What failed.
    public var operation: String

    /// Makes a failure.
    public init(_ operation: String) { self.operation = operation }
}
