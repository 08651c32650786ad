import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values by a key, each until its own time, in so many bytes and no more.
///
/// When there is no room, what was not asked for since it was last passed over goes first (the second-chance rule), so that
/// a flood of tokens that are shown once does not push out those in use.
final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    fileprivate struct Entry {
        let value: Value
        let expiry: Date
        let bytes: Int
        var isRecent = false
    }

    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        /// The keys in the order in which they came, from `first` on.
        var order: [Key] = []
        var first = 0
        var bytes = 0
    }

    private let maximumBytes: Int
    private let state = Lock(State())

    /// What an entry takes besides its value: its places in the table and in the order.
    static var overhead: Int { 256 }

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// How many bytes are taken.
    var bytes: Int { state.withLock { $0.bytes } }
    /// How many values there are.
    var count: Int { state.withLock { $0.entries.count } }

    /// The value of a key, before its time is up.
    func value(_ key: Key, at now: Date) -> Value? {
        state.withLock { state in
            guard let place = state.entries.index(forKey: key), state.entries.values[place].expiry > now else {
                return nil
            }
            state.entries.values[place].isRecent = true
            return state.entries.values[place].value
        }
    }

    /// Keeps a value; one that is larger than an eighth of the room is not kept.
    ///
    /// - Parameter bytes: What the value takes.
    func keep(_ value: Value, for key: Key, bytes: Int, until expiry: Date) {
        let bytes = bytes + Self.overhead
        guard bytes <= maximumBytes / 8 else { return }
        state.withLock { state in
            if let old = state.entries[key] {
                // Its place in the order stays.
                state.bytes -= old.bytes
            } else {
                state.order.append(key)
            }
            state.entries[key] = Entry(value: value, expiry: expiry, bytes: bytes)
            state.bytes += bytes
            while state.bytes > maximumBytes, state.dropOne() {}
        }
    }

    /// Forgets a key.
    func forget(_ key: Key) {
        state.withLock { state in
            guard let old = state.entries.removeValue(forKey: key) else { return }
            state.bytes -= old.bytes
        }
    }
}

extension BoundedCache.State {
    /// Takes the first in the order away, or puts it last when it was asked for; `false` when there is none.
    fileprivate mutating func dropOne() -> Bool {
        while first < order.count {
            let key = order[first]
            first += 1
            if first > 1024, first * 2 > order.count {
                order.removeFirst(first)
                first = 0
            }
            guard let entry = entries[key] else { continue }
            if entry.isRecent {
                entries[key]?.isRecent = false
                order.append(key)
                continue
            }
            entries[key] = nil
            bytes -= entry.bytes
            return true
        }
        return false
    }
}
