/// The storage of the provider's records.
///
/// Each method is atomic: two concurrent calls have the result of one after the other. In ``use(_:_:)`` this makes a
/// code valid for one use only, in ``add(_:)`` it makes a proof so.
public protocol ProviderStorage: Sendable {
    /// Keeps a record, in place of one with the same kind and key. A record that replaces a used one is unused.
    func put(_ record: ProviderRecord) async throws(ProviderStorageFailure)

    /// Keeps records, each as the method for one record does: all of them, or none after a failure.
    func put(_ records: [ProviderRecord]) async throws(ProviderStorageFailure)

    /// Adds a record unless there is one with the same kind and key, used or not, expired or not.
    ///
    /// Returns whether it was added; of two concurrent calls, only one returns `true`.
    func add(_ record: ProviderRecord) async throws(ProviderStorageFailure) -> Bool

    /// Keeps a record in place of a former one with the same kind and key, unused, unless that has changed or is gone.
    ///
    /// Returns whether it did; of two concurrent calls for one former record, only one returns `true`.
    func replace(
        _ former: ProviderRecord,
        with record: ProviderRecord
    ) async throws(ProviderStorageFailure) -> Bool

    /// The record with a key, used or not, expired or not; `nil` for none.
    func record(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord?

    /// Every record of a kind, in the order in which they were first put.
    func records(_ kind: ProviderRecord.Kind) async throws(ProviderStorageFailure) -> [ProviderRecord]

    /// Marks a record as used, and returns whether this was the first use.
    func use(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord.Use

    /// Whether a record was used; `false` for a missing one.
    func wasUsed(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> Bool

    /// Removes records; it is not an error if none matches.
    func remove(_ selection: ProviderRecord.Selection) async throws(ProviderStorageFailure)

    /// Every record of every kind as of one moment, those of a kind in the order in which they were first put.
    func contents() async throws(ProviderStorageFailure) -> [ProviderRecord.Stored]

    /// Keeps these records, in this order, and no other one: all of them, or what was there after a failure.
    func replaceAll(with records: [ProviderRecord.Stored]) async throws(ProviderStorageFailure)
}

/// The storage could not be read or written; the text names the operation, never a record's content.
public struct ProviderStorageFailure: Error, Sendable, Hashable {
    /// The operation that failed.
    public var operation: String

    /// Makes a failure.
    public init(_ operation: String) { self.operation = operation }
}
