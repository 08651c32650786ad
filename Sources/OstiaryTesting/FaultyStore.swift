public import Ostiary
import OstiaryCompatibility

/// A store that fails when a test says so, and otherwise behaves like the store in it.
///
/// Calls for `StoreKey.learned(issuer:clientID:account:)` neither count nor fail unless a test includes them: a
/// client makes them between others, and no flow depends on them.
public final class FaultyStore: SecretStore {
    /// The kind of a call.
    public enum Operation: Sendable, Hashable {
        /// Reading a value.
        case read
        /// Writing a value.
        case write
        /// Removing a value.
        case remove
    }

    private struct State {
        var calls: [Operation: Int] = [:]
        var planned: [Operation: [Int: StorageFailure]] = [:]
        var later: [Operation: (call: Int, failure: StorageFailure)] = [:]
        var lasting: [Operation: StorageFailure] = [:]
    }

    /// The store of the values.
    public let inner: any SecretStore
    private let includesLearnedFacts: Bool
    private let state = Lock(State())

    /// Makes a store that does not fail yet.
    ///
    /// - Parameters:
    ///   - store: The store of the values. Default: memory.
    ///   - includesLearnedFacts: Whether calls for learned facts also count and fail. Default `false`.
    public init(_ store: any SecretStore = MemoryStore(), includingLearnedFacts includesLearnedFacts: Bool = false) {
        inner = store
        self.includesLearnedFacts = includesLearnedFacts
    }

    /// Makes one call fail, which changes no value.
    ///
    /// - Parameters:
    ///   - operation: The kind of the call.
    ///   - number: The number of the call of that kind, counted from now; 1 is the next one.
    ///   - failure: The error that it throws.
    public func fail(_ operation: Operation, call number: Int = 1, with failure: StorageFailure = .unavailable) {
        state.withLock { $0.planned[operation, default: [:]][$0.calls[operation, default: 0] + number] = failure }
    }

    /// Lets every call of a kind fail from one on; nothing is changed by them.
    ///
    /// - Parameters:
    ///   - operation: The kind of call.
    ///   - number: The first that fails, counted from now; 1 is the next one.
    ///   - failure: The error that the calls throw.
    public func failFrom(_ operation: Operation, call number: Int, with failure: StorageFailure = .unavailable) {
        state.withLock { $0.later[operation] = ($0.calls[operation, default: 0] + number, failure) }
    }

    /// Lets every call of a kind fail from now on.
    public func failAlways(_ operation: Operation, with failure: StorageFailure = .unavailable) {
        state.withLock { $0.lasting[operation] = failure }
    }

    /// Removes all planned failures.
    public func recover() {
        state.withLock { state in
            state.planned = [:]
            state.later = [:]
            state.lasting = [:]
        }
    }

    /// Returns the number of calls of a kind, including those that failed.
    public func calls(of operation: Operation) -> Int { state.withLock { $0.calls[operation, default: 0] } }

    /// The lock of the store in it; it does not fail.
    public var processLock: (any ProcessLock)? { inner.processLock }

    /// Reads, unless this call is to fail.
    public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
        try count(.read, key)
        return try await inner.read(key)
    }

    /// Writes, unless this call is to fail.
    public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try count(.write, key)
        try await inner.write(value, for: key)
    }

    /// Removes, unless this call is to fail.
    public func remove(_ key: StoreKey) async throws(StorageFailure) {
        try count(.remove, key)
        try await inner.remove(key)
    }

    private func count(_ operation: Operation, _ key: StoreKey) throws(StorageFailure) {
        if !includesLearnedFacts, key.isOfLearnedFacts { return }
        let failure: StorageFailure? = state.withLock { state in
            let number = state.calls[operation, default: 0] + 1
            state.calls[operation] = number
            let later = state.later[operation].flatMap { number >= $0.call ? $0.failure : nil }
            return state.planned[operation]?.removeValue(forKey: number) ?? later ?? state.lasting[operation]
        }
        if let failure { throw failure }
    }
}
