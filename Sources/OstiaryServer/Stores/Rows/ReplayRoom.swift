import OstiaryCompatibility

/// The approximate room left for each owner of replay identifiers, for a store in a database: its rows are counted once
/// for every sixteenth of the room that an owner uses here, and not with every request.
package final class ReplayRoom: Sendable {
    /// The largest number of rows of one owner.
    package let limit: Int
    private let step: Int
    /// The number of insertions until rows are counted again; 0 while there is no room.
    private let left = Lock<[StoreDigest: Int]>([:])
    /// The largest number of owners that are remembered; the rows of any other one are counted.
    private static let maximumOwners = 10_000

    package init(_ limit: Int) {
        self.limit = max(1, limit)
        step = max(1, self.limit / 16)
    }

    /// Whether the rows of an owner must be counted before the next insertion.
    package func isToBeCounted(_ owner: StoreDigest) -> Bool { left.withLock { ($0[owner] ?? 0) <= 0 } }

    /// Records the number of an owner's rows.
    package func count(_ rows: Int, of owner: StoreDigest) {
        left.withLock { left in
            if left.count >= Self.maximumOwners, left[owner] == nil { left.removeAll(keepingCapacity: true) }
            left[owner] = max(0, min(step, limit - rows))
        }
    }

    /// Takes room for one row; `false` when there is no room.
    package func take(from owner: StoreDigest) -> Bool {
        left.withLock { left in
            guard let some = left[owner], some > 0 else { return false }
            left[owner] = some - 1
            return true
        }
    }
}
