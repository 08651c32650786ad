public import Ostiary

extension SecretStoreCheck {
    /// Checks that a store keeps its promises when any one of its steps fails.
    ///
    /// Nothing is lost or torn, a failure is never reported as absence, and the next call works.
    ///
    /// - Parameters:
    ///   - operations: The largest number of steps of an operation; one more ends the check with a broken promise.
    ///   - make: Makes an empty store that calls the plan before each step.
    /// - Returns: The names of the steps that were made to fail, each once.
    /// - Throws: ``BrokenPromise``; the error of `make`.
    @discardableResult
    public static func runWithFaults(
        atMost operations: Int = 50,
        _ make: @Sendable (FaultPlan) async throws -> any SecretStore
    ) async throws -> Set<String> {
        let plan = FaultPlan()
        let store = try await make(plan)
        var failed: Set<String> = []
        for trial in FaultTrial.all {
            var number = 1
            while let step = try await trial.run(on: store, failing: number, of: plan) {
                failed.insert(step)
                number += 1
                guard number <= operations else {
                    throw BrokenPromise("An operation ends.", found: "more than \(operations) steps")
                }
            }
        }
        return failed
    }
}

/// One operation, once with each of its steps failing.
private struct FaultTrial {
    let name: String
    let before: [UInt8]?
    let after: [UInt8]?
    /// - Returns: Whether it found the stored value.
    let operation: @Sendable (any SecretStore, StoreKey) async throws(StorageFailure) -> Bool

    private static let old = [UInt8](repeating: 1, count: 3000)
    private static let new = [UInt8](repeating: 2, count: 200)

    static let all = [
        FaultTrial(name: "a first write", before: nil, after: new) { (store, key) throws(StorageFailure) in
            try await store.write(new, for: key)
            return true
        },
        FaultTrial(name: "a write over another", before: old, after: new) { (store, key) throws(StorageFailure) in
            try await store.write(new, for: key)
            return true
        },
        FaultTrial(name: "a removal", before: old, after: nil) { (store, key) throws(StorageFailure) in
            try await store.remove(key)
            return true
        },
        FaultTrial(name: "a read", before: old, after: old) { (store, key) throws(StorageFailure) in
            try await store.read(key) == old
        },
        FaultTrial(name: "a read of nothing", before: nil, after: nil) { (store, key) throws(StorageFailure) in
            try await store.read(key) == nil
        },
    ]

    /// - Returns: The step that failed; `nil` when the operation has fewer.
    func run(on store: any SecretStore, failing number: Int, of plan: FaultPlan) async throws -> String? {
        let promise =
            "When a step of \(name) fails, the value is the one before it or the new one, and nothing is torn."
        let key = StoreKey("faulty")
        let neighbour = StoreKey("neighbour")
        plan.fail(nil)
        try await set(before, for: key, of: store)
        try await store.write([9], for: neighbour)
        for failure in [StorageFailure.unavailable, .locked] {
            plan.fail(number, with: failure)
            var thrown: StorageFailure?
            var isRight = true
            do throws(StorageFailure) { isRight = try await operation(store, key) } catch { thrown = error }
            guard let failed = plan.failed else {
                if let thrown { throw BrokenPromise(promise, found: "\(thrown.rawValue) though nothing failed") }
                plan.fail(nil)
                try await store.remove(key)
                try await store.remove(neighbour)
                return nil
            }
            plan.fail(nil)
            guard isRight else {
                throw BrokenPromise(promise, found: "another result than the value after \(failed) failed")
            }
            let value = try await store.read(key)
            let expected = thrown == nil ? after : before
            guard value == expected else {
                let found = value.map { "\($0.count) bytes" } ?? "no value"
                throw BrokenPromise(
                    promise,
                    found:
                        "\(found) after \(failed) failed and \(thrown.map { "\($0.rawValue) was thrown" } ?? "nothing was thrown")"
                )
            }
            if let thrown, thrown != failure {
                throw BrokenPromise(
                    "A failure is reported with its own error.",
                    found: "\(thrown.rawValue) instead of \(failure.rawValue) when \(failed) failed"
                )
            }
            guard try await store.read(neighbour) == [9] else {
                throw BrokenPromise(promise, found: "another key's value is gone after \(failed) failed")
            }
            // The remains of the failure do not disturb the next call.
            guard try await operation(store, key), try await store.read(key) == after else {
                throw BrokenPromise("The call after a failed one works.", found: "another value after \(failed) failed")
            }
            try await set(before, for: key, of: store)
            if failure == .locked {
                plan.fail(nil)
                try await store.remove(key)
                try await store.remove(neighbour)
                return failed
            }
        }
        return nil
    }

    private func set(_ value: [UInt8]?, for key: StoreKey, of store: any SecretStore) async throws {
        if let value { try await store.write(value, for: key) } else { try await store.remove(key) }
    }
}
