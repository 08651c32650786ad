public import OstiaryOAuth
import Synchronization

/// Lets one at a time through in this process: the lock of a store that no other process has.
///
/// Whoever came first is let in first.
public final class InProcessLock: ProcessLock {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// Who waits for each lock that is held.
        var queues: [String: [Waiter]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Makes a lock that nobody holds.
    public init() {}

    /// Takes the lock, in the order in which it was asked for.
    ///
    /// - Throws: `locked` when others have it for longer than `patience`.
    public func take(_ name: String, waiting patience: Double) async throws(StorageFailure) -> ProcessLockHold {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        let isTaken = await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.queues[name] != nil else {
                    state.queues[name] = []
                    return true
                }
                state.queues[name]?.append(Waiter(id: id, continuation: continuation))
                return false
            }
            if isFree { return continuation.resume(returning: true) }
            Task {
                try? await Task.sleep(for: .seconds(patience))
                self.giveUp(id, on: name)
            }
        }
        guard isTaken else { throw .locked }
        return ProcessLockHold { self.release(name) }
    }

    /// Nobody: it is this process.
    public func owner(of name: String) throws(StorageFailure) -> ProcessLockOwner? { nil }

    private func giveUp(_ id: Int, on name: String) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.queues[name]?.firstIndex(where: { $0.id == id }) else { return nil }
            return state.queues[name]?.remove(at: place)
        }
        waiter?.continuation.resume(returning: false)
    }

    private func release(_ name: String) {
        let next = state.withLock { state -> Waiter? in
            if state.queues[name]?.isEmpty == true { state.queues[name] = nil }
            return state.queues[name]?.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}
