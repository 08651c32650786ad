public import Ostiary
import Synchronization

/// A store that fails when a test says so, and otherwise does what the store in it does.
///
/// Calls for ``StoreKey/learned(issuer:clientID:account:)`` neither count nor fail unless a test includes them: a client
/// makes them between others, and no flow depends on them.
public final class FaultyStore: SecretStore {
    /// What a store does.
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

    /// What keeps the values.
    public let inner: any SecretStore
    private let includesLearnedFacts: Bool
    private let state = Mutex(State())

    /// Makes a store that does not fail yet.
    ///
    /// - Parameters:
    ///   - store: What keeps the values. Default: memory.
    ///   - includesLearnedFacts: Whether calls for learned facts count and fail, too. Default `false`.
    public init(_ store: any SecretStore = MemoryStore(), includingLearnedFacts includesLearnedFacts: Bool = false) {
        inner = store
        self.includesLearnedFacts = includesLearnedFacts
    }

    /// Lets one call fail; nothing is changed by it.
    ///
    /// - Parameters:
    ///   - operation: Which kind of call.
    ///   - number: Which call of that kind, counted from now; 1 is the next one.
    ///   - failure: What it throws.
    public func fail(_ operation: Operation, call number: Int = 1, with failure: StorageFailure = .unavailable) {
        state.withLock { $0.planned[operation, default: [:]][$0.calls[operation, default: 0] + number] = failure }
    }

    /// Lets every call of a kind fail from one on; nothing is changed by them.
    ///
    /// - Parameter number: The first that fails, counted from now; 1 is the next one.
    public func failFrom(_ operation: Operation, call number: Int, with failure: StorageFailure = .unavailable) {
        state.withLock { $0.later[operation] = ($0.calls[operation, default: 0] + number, failure) }
    }

    /// Lets every call of a kind fail from now on.
    public func failAlways(_ operation: Operation, with failure: StorageFailure = .unavailable) {
        state.withLock { $0.lasting[operation] = failure }
    }

    /// Lets nothing fail any more.
    public func recover() {
        state.withLock { state in
            state.planned = [:]
            state.later = [:]
            state.lasting = [:]
        }
    }

    /// How many calls of a kind there were, those that failed among them.
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
