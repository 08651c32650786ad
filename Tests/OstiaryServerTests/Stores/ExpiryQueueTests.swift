import Foundation
import Testing

@testable import OstiaryServer

@Suite("A queue of expiries")
struct ExpiryQueueTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// Entries with their expiry, as a table holds them.
    private func entries(_ seconds: [Double]) -> [StoreDigest: Date] {
        Dictionary(uniqueKeysWithValues: seconds.map { (StoreDigest("entry", ["\($0)"]), start + $0) })
    }

    private func queue(of table: [StoreDigest: Date]) -> ExpiryQueue {
        var queue = ExpiryQueue()
        for (name, expiry) in table { queue.append(name, expiring: expiry) }
        return queue
    }

    @Test("A sweep removes expired entries in the order of their expiry, up to its limit, and reads no others")
    func order() {
        var table = entries([30, 10, 50, 20, 40, 60, 15, 35])
        var queue = queue(of: table)
        var read = 0
        var removed: [Date] = []
        func sweep(_ limit: Int, at seconds: Double) -> Int {
            queue.sweep(
                limit: limit,
                now: start + seconds,
                expiry: { name in
                    read += 1
                    return table[name]
                },
                remove: { name in if let expiry = table.removeValue(forKey: name) { removed.append(expiry) } }
            )
        }
        #expect(sweep(3, at: 40) == 3)
        #expect(removed == [10, 15, 20].map { start + $0 } && read == 3)
        #expect(sweep(10, at: 40) == 3)
        #expect(removed == [10, 15, 20, 30, 35, 40].map { start + $0 } && read == 6)
        #expect(sweep(10, at: 40) == 0 && read == 6 && table.count == 2)
    }

    @Test("An entry that was extended stays until its new expiry, and a removed one is skipped")
    func changed() {
        var table = entries([10, 20])
        var queue = queue(of: table)
        table[StoreDigest("entry", ["10.0"])] = start + 30
        table[StoreDigest("entry", ["20.0"])] = nil
        var swept: [Int] = []
        for seconds in [10.0, 29, 30, 31] {
            swept.append(
                queue.sweep(now: start + seconds, expiry: { table[$0] }, remove: { table[$0] = nil })
            )
        }
        #expect(swept == [0, 0, 1, 0] && table.isEmpty)
    }
}
