import OstiaryCompatibility
import Testing

@Suite("Locks")
struct LockTests {
    private struct Refusal: Error, Equatable {}
    private struct Ticket: ~Copyable { let number: Int }
    private final class Counter: Sendable {
        let count = Lock(0)
        func add() { count.withLock { $0 += 1 } }
    }

    @Test("A value that eight tasks change 10,000 times each under a lock has every change")
    func exclusion() async {
        let counter = Counter()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { counter.add() } }
            }
        }
        #expect(counter.count.withLock { $0 } == 80_000)
    }

    @Test("A body that throws leaves its change, and the lock can be taken again")
    func failure() {
        let count = Lock(0)
        #expect(throws: Refusal.self) {
            try count.withLock { (count) throws(Refusal) in
                count += 1
                throw Refusal()
            }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A lock holds a value that cannot be copied, and gives it away once")
    func uncopyable() {
        let held = Lock<Ticket?>(Ticket(number: 7))
        let numbers = (0..<2).map { _ in held.withLock { number(of: $0.take()) } }
        #expect(numbers == [7, nil])
    }

    private func number(of ticket: consuming Ticket?) -> Int? {
        switch consume ticket {
        case .some(let ticket): ticket.number
        case .none: nil
        }
    }

    @Test("A lock that goes away releases its value")
    func release() {
        final class Tenant: Sendable {}
        weak var tenant: Tenant?
        do {
            let held = Lock(Tenant())
            tenant = held.withLock { $0 }
            #expect(tenant != nil)
        }
        #expect(tenant == nil)
    }
}
