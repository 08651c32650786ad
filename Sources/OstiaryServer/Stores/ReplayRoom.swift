import OstiaryCompatibility

/// How much room is left of each owner of replayed identifiers, nearly, for a store in a database: its rows are counted
/// once for every sixteenth of the room that an owner takes here, and not with each request.
package final class ReplayRoom: Sendable {
    /// How many rows an owner may have.
    package let limit: Int
    private let step: Int
    /// How many more may come before rows are counted again; 0 while there is no room.
    private let left = Lock<[StoreDigest: Int]>([:])
    /// How many owners are remembered; of one that is not, rows are counted.
    private static let maximumOwners = 10_000

    package init(_ limit: Int) {
        self.limit = max(1, limit)
        step = max(1, self.limit / 16)
    }

    /// Whether the rows of an owner have to be counted before the next one.
    package func isToBeCounted(_ owner: StoreDigest) -> Bool { left.withLock { ($0[owner] ?? 0) <= 0 } }

    /// Takes in how many rows an owner has.
    package func count(_ rows: Int, of owner: StoreDigest) {
        left.withLock { left in
            if left.count >= Self.maximumOwners, left[owner] == nil { left.removeAll(keepingCapacity: true) }
            left[owner] = max(0, min(step, limit - rows))
        }
    }

    /// Takes room for one row; not when there is none.
    package func take(from owner: StoreDigest) -> Bool {
        left.withLock { left in
            guard let some = left[owner], some > 0 else { return false }
            left[owner] = some - 1
            return true
        }
    }
}
