#if PostgreSQL
    import OstiaryServer
    import Synchronization

    /// How much room is left of each owner, nearly: rows are counted once for every sixteenth of the room that an owner
    /// takes here, and not with each request.
    final class ReplayRoom: Sendable {
        /// How many rows an owner may have.
        let limit: Int
        private let step: Int
        /// How many more may come before rows are counted again; 0 or less while there is no room.
        private let left = Mutex<[StoreDigest: Int]>([:])
        /// How many owners are remembered; of one that is not, rows are counted.
        private static let maximumOwners = 10_000

        init(_ limit: Int) {
            self.limit = max(1, limit)
            step = max(1, self.limit / 16)
        }

        /// Whether the rows of an owner have to be counted before the next one.
        func isToBeCounted(_ owner: StoreDigest) -> Bool { left.withLock { ($0[owner] ?? 0) <= 0 } }

        /// Takes in how many rows an owner has.
        func count(_ rows: Int, of owner: StoreDigest) {
            left.withLock { left in
                if left.count >= Self.maximumOwners, left[owner] == nil { left.removeAll(keepingCapacity: true) }
                left[owner] = min(step, limit - rows)
            }
        }

        /// Takes room for one row; not when there is none.
        func take(from owner: StoreDigest) -> Bool {
            left.withLock { left in
                guard let some = left[owner], some > 0 else { return false }
                left[owner] = some - 1
                return true
            }
        }
    }
#endif
