import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pieces that the checks of server stores have in common.
protocol StorePromises: Sendable {}

extension StorePromises {
    /// A whole number of seconds, so that no rounding is mistaken for a fault.
    var start: Date { Date(timeIntervalSince1970: 1_800_000_000) }

    func at(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

    func digest(_ name: String) -> StoreDigest { StoreDigest("check", [name]) }

    /// Returns the result of a call; an error of the call is a broken promise.
    func asked<Answer>(_ promise: String, _ call: () async throws -> Answer) async throws -> Answer {
        do { return try await call() } catch let broken as BrokenPromise { throw broken } catch {
            throw BrokenPromise(promise, found: "it failed with \(error)")
        }
    }

    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ promise: String) throws {
        guard found != expected else { return }
        throw BrokenPromise(promise, found: "\(found) and not \(expected)")
    }

    /// Makes many concurrent attempts at the instances of a store, and counts those that succeed.
    func race<Store: Sendable>(
        _ instances: [Store],
        _ promise: String,
        winners: Int,
        _ attempt: @escaping @Sendable (Store) async throws -> Bool
    ) async throws {
        let won = try await asked(promise) {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<32 {
                    group.addTask { try await attempt(instances[number % instances.count]) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
        }
        try expect(won, winners, promise)
    }
}
