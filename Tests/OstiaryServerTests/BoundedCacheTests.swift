import Foundation
import OstiaryCompatibility
import Testing

@testable import OstiaryServer

@Suite("The cache of limited size")
struct BoundedCacheTests {
    /// Counts the keys that exist.
    private final class Census: Sendable {
        private let living = Lock(0)
        var count: Int { living.withLock { $0 } }
        func add(_ number: Int) { living.withLock { $0 += number } }
    }

    /// A key with a name; keys of one name are equal.
    private final class Key: Hashable, Sendable {
        private let name: Int
        private let census: Census

        init(_ name: Int, in census: Census) {
            self.name = name
            self.census = census
            census.add(1)
        }

        deinit { census.add(-1) }

        static func == (one: Key, other: Key) -> Bool { one.name == other.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("A key that is kept and forgotten many times takes one place")
    func forgotten() {
        let (cache, census) = (BoundedCache<Key, Int>(maximumBytes: 65_536), Census())
        for _ in 0..<1000 {
            cache.keep(1, for: Key(1, in: census), bytes: 8, until: now + 60)
            cache.forget(Key(1, in: census))
        }
        #expect(census.count <= 20)
    }

    @Test("A cache from which many keys were forgotten evicts the oldest of the others first")
    func evicted() {
        let (cache, census) = (BoundedCache<Key, Int>(maximumBytes: 8 * 1024), Census())
        func keep(_ name: Int) { cache.keep(name, for: Key(name, in: census), bytes: 768, until: now + 60) }
        keep(1)
        for _ in 0..<100 {
            keep(2)
            cache.forget(Key(2, in: census))
        }
        for name in 3...9 { keep(name) }
        #expect(cache.count == 8)
        keep(10)
        let kept = (1...10).filter { cache.value(Key($0, in: census), at: now) != nil }
        #expect(kept == [3, 4, 5, 6, 7, 8, 9, 10])
    }
}
