import OstiaryCompatibility
import OstiaryProvider
import OstiaryTesting

/// A vendor's system on the test kit's world, in this process and on one clock.
protocol DoorWorld: Sendable {
    var base: TestWorld { get }
}

extension DoorWorld {
    var clock: TestClock { base.clock }
    var network: InProcessProvider { base.network }
    var store: FaultyStore { base.store }
    var provider: Provider { base.provider }
}

/// Values in the order in which they were added.
final class Recorded<Value: Sendable>: Sendable {
    private let list = Lock<[Value]>([])
    func add(_ value: Value) { list.withLock { $0.append(value) } }
    var values: [Value] { list.withLock { $0 } }
}

/// The error that an asynchronous body throws.
func thrownError<Failure: Error, Outcome>(_ body: () async throws(Failure) -> Outcome) async -> Failure? {
    do throws(Failure) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
