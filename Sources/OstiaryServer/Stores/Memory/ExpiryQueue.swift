#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names of a table's entries by the times at which they may have expired, so that a sweep reads no other entry.
///
/// A time may be too early: the sweep looks at the entry itself, and queues one that has been extended again. A name may
/// be queued more than once, and stay queued after its entry was removed.
struct ExpiryQueue: Sendable {
    private struct Item {
        let expiry: Date
        let name: StoreDigest
    }

    /// A binary heap, whose first item expires first.
    private var items: [Item] = []

    /// Queues a name.
    mutating func append(_ name: StoreDigest, expiring expiry: Date) {
        items.append(Item(expiry: expiry, name: name))
        var child = items.count - 1
        while child > 0, items[child].expiry < items[(child - 1) / 2].expiry {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes expired entries, those that expired first before the others.
    ///
    /// - Parameters:
    ///   - limit: The largest number of entries to remove.
    ///   - now: The current time.
    ///   - expiry: The expiry of an entry; `nil` when the table has no such entry.
    ///   - remove: Removes an entry from the table.
    /// - Returns: The number of removed entries.
    mutating func sweep(
        limit: Int = .max,
        now: Date,
        expiry: (StoreDigest) -> Date?,
        remove: (StoreDigest) -> Void
    ) -> Int {
        var removed = 0
        while removed < limit, let first = items.first, first.expiry <= now {
            removeFirst()
            guard let expiry = expiry(first.name) else { continue }
            guard expiry <= now else {
                append(first.name, expiring: expiry)
                continue
            }
            remove(first.name)
            removed += 1
        }
        return removed
    }

    private mutating func removeFirst() {
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count {
                if items[child].expiry < items[least].expiry { least = child }
            }
            guard least != parent else { return }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
