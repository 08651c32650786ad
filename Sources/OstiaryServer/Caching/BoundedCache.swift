import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A cache of limited size whose values expire.
///
/// When it is full, entries not used since the last pass are evicted first (the second-chance rule), so that a flood of
/// tokens used once does not evict those in use.
final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    fileprivate struct Entry {
        let value: Value
        let expiry: Date
        let bytes: Int
        var isRecent = false
    }

    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        /// The keys in the order of insertion, from `first` on.
        var order: [Key] = []
        var first = 0
        var bytes = 0
    }

    private let maximumBytes: Int
    private let state = Lock(State())

    /// The bytes of an entry besides its value: its places in the table and in the order.
    static var overhead: Int { 256 }

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The bytes in use.
    var bytes: Int { state.withLock { $0.bytes } }
    /// The number of values.
    var count: Int { state.withLock { $0.entries.count } }

    /// The value of a key, unless it has expired.
    func value(_ key: Key, at now: Date) -> Value? {
        state.withLock { state in
            guard let place = state.entries.index(forKey: key), state.entries.values[place].expiry > now else {
                return nil
            }
            state.entries.values[place].isRecent = true
            return state.entries.values[place].value
        }
    }

    /// Adds a value; one larger than an eighth of the limit is not kept.
    ///
    /// `bytes` is the size of the value.
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

    /// Removes a key.
    func forget(_ key: Key) {
        state.withLock { state in
            guard let old = state.entries.removeValue(forKey: key) else { return }
            state.bytes -= old.bytes
            state.compactOrder()
        }
    }
}

extension BoundedCache.State {
    /// Removes the places of forgotten keys, once most places are of such keys.
    fileprivate mutating func compactOrder() {
        guard order.count - first > 2 * entries.count + 16 else { return }
        var seen: Set<Key> = []
        // The last place of a key is the one of its entry.
        let kept = order[first...].reversed().filter { entries[$0] != nil && seen.insert($0).inserted }
        order = kept.reversed()
        first = 0
    }

    /// Evicts the first entry in the order, or moves it to the end if it was used; `false` when there are no entries.
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
