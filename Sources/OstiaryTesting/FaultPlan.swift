public import Ostiary
import OstiaryCompatibility

/// The plan of the steps at which a store fails.
///
/// A store under test calls ``step(_:)`` before each step of its own that can fail: opening a file, writing it, a
/// message to a keyring.
public final class FaultPlan: Sendable {
    private struct State {
        var steps: [String] = []
        var failing: Int?
        var failure = StorageFailure.unavailable
        var failed: String?
    }

    private let state = Lock(State())

    /// Makes a plan by which nothing fails.
    public init() {}

    /// Counts a step, and fails when it is the one that was planned.
    public func step(_ name: String) throws(StorageFailure) {
        let failure: StorageFailure? = state.withLock { state in
            state.steps.append(name)
            guard state.steps.count == state.failing else { return nil }
            state.failed = name
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Lets one step fail, counted from now; 1 is the next one.
    ///
    /// `nil` lets none fail.
    public func fail(_ number: Int?, with failure: StorageFailure = .unavailable) {
        state.withLock { state in
            state = State()
            state.failing = number
            state.failure = failure
        }
    }

    /// The step that failed since ``fail(_:with:)``; `nil` when none did.
    public var failed: String? { state.withLock { $0.failed } }
}
