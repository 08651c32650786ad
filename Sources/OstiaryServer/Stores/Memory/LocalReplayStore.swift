import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A replay store that answers without waiting, such as one in memory.
public protocol ImmediateReplayStore: ReplayStore {
    /// Remembers an identifier at once, unless it is already remembered.
    func insertNow(_ identifier: StoreDigest, owner: StoreDigest, until expiry: Date, now: Date) -> ReplayAnswer
}

extension ImmediateReplayStore {
    /// Remembers an identifier, unless it is already remembered.
    public func insert(
        _ identifier: StoreDigest,
        owner: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> ReplayAnswer {
        insertNow(identifier, owner: owner, until: expiry, now: now)
    }
}

/// A replay store in the memory of this process, for a service with one instance.
///
/// Insertions remove expired entries. Several locks share the entries, so that requests do not queue.
public final class LocalReplayStore: ImmediateReplayStore {
    private let shards: [Shard]

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - room: The largest number of identifiers; each lock has an equal share, and owners in a full share must wait.
    ///     Default 1,000,000: at most some 150 MB.
    ///   - ownerRoom: The largest number of one owner's identifiers. Default 10,000.
    public init(room: Int = 1_000_000, ownerRoom: Int = 10_000) {
        let count = 16
        shards = (0..<count).map { _ in Shard(room: max(1, room / count), ownerRoom: ownerRoom) }
    }

    /// The number of remembered identifiers.
    public var count: Int { shards.reduce(0) { $0 + $1.count } }

    /// Remembers an identifier, unless it is already remembered.
    public func insertNow(
        _ identifier: StoreDigest,
        owner: StoreDigest,
        until expiry: Date,
        now: Date
    ) -> ReplayAnswer {
        // All identifiers of one owner are in one shard, which can therefore count them.
        shards[Int(owner.bytes[0]) % shards.count].insert(identifier, owner: owner, until: expiry, now: now)
    }

    /// Whether an identifier is remembered at `now`.
    public func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool {
        shards.contains { $0.contains(identifier, now: now) }
    }
}

/// A part of the entries, with its own lock.
private final class Shard: Sendable {
    fileprivate struct Entry {
        let owner: StoreDigest
        let expiry: Date
    }

    fileprivate struct State {
        var entries: [StoreDigest: Entry] = [:]
        var owners: [StoreDigest: Int] = [:]
        /// The identifiers by the second in which they expire, earliest first.
        var seconds: [Int: [StoreDigest]] = [:]
        var earliest: Int?
    }

    private let room: Int
    private let ownerRoom: Int
    private let state = Lock(State())

    init(room: Int, ownerRoom: Int) {
        self.room = room
        self.ownerRoom = ownerRoom
    }

    var count: Int { state.withLock { $0.entries.count } }

    func contains(_ identifier: StoreDigest, now: Date) -> Bool {
        state.withLock { ($0.entries[identifier]?.expiry ?? .distantPast) > now }
    }

    func insert(_ identifier: StoreDigest, owner: StoreDigest, until expiry: Date, now: Date) -> ReplayAnswer {
        state.withLock { state in
            state.forgetExpired(at: now)
            if let old = state.entries[identifier], old.expiry > now { return .replayed }
            guard state.entries.count < room, state.owners[owner, default: 0] < ownerRoom else { return .full }
            let second = Self.second(expiry, .up)
            if state.entries.updateValue(Entry(owner: owner, expiry: expiry), forKey: identifier) == nil {
                state.owners[owner, default: 0] += 1
            }
            state.seconds[second, default: []].append(identifier)
            state.earliest = min(state.earliest ?? second, second)
            return .inserted
        }
    }

    /// A whole second; a time out of range, which the sender of a token may choose, becomes the nearest one in it.
    fileprivate static func second(_ date: Date, _ rule: FloatingPointRoundingRule) -> Int {
        let seconds = date.timeIntervalSince1970.rounded(rule)
        return seconds.isNaN ? 0 : Int(max(-9e18, min(9e18, seconds)))
    }
}

extension Shard.State {
    fileprivate mutating func forgetExpired(at now: Date) {
        let last = Shard.second(now, .down)
        guard let first = earliest, first <= last else { return }
        for second in seconds.keys.filter({ $0 <= last }) {
            for identifier in seconds.removeValue(forKey: second) ?? [] {
                // An identifier that was inserted again after its expiry has a later entry as well.
                guard let entry = entries[identifier], !(entry.expiry > now) else { continue }
                entries[identifier] = nil
                let left = owners[entry.owner, default: 1] - 1
                owners[entry.owner] = left > 0 ? left : nil
            }
        }
        earliest = seconds.keys.min()
    }
}
