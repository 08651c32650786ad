import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A lock within this process, for a store that no other process uses.
///
/// Callers get it in the order of their calls.
public final class InProcessLock: ProcessLock {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Bool, Never>
        /// Ends the wait when the patience is over.
        let patience: Task<Void, Never>

        func end(granted isGranted: Bool) {
            patience.cancel()
            continuation.resume(returning: isGranted)
        }
    }

    /// A lock that is held.
    private struct Held {
        var since = Date()
        /// The callers that wait for the lock.
        var queue: [Waiter] = []
    }

    private struct State {
        /// By the bytes of the names, as a lock of files has it.
        var held: [StoreKey: Held] = [:]
        var count = 0
    }

    private let state = Lock(State())

    /// Makes a lock that is free.
    public init() {}

    /// Acquires the lock, in the order of the calls.
    ///
    /// Cancelling the task does not end the wait.
    ///
    /// - Throws: `locked` when other tasks hold it for longer than `patience`.
    public func acquire(_ name: String, waiting patience: Duration) async throws(StorageFailure) -> ProcessLockHold {
        let name = StoreKey(name)
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        let isTaken = await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.held[name] != nil else {
                    state.held[name] = Held()
                    return true
                }
                let ending = Task {
                    // Cancelled, it has nothing left to end.
                    do { try await Task.sleep(for: patience.boundedToYear) } catch { return }
                    self.giveUp(id, on: name)
                }
                state.held[name]?.queue.append(Waiter(id: id, continuation: continuation, patience: ending))
                return false
            }
            if isFree { continuation.resume(returning: true) }
        }
        guard isTaken else { throw .locked }
        return ProcessLockHold { self.release(name) }
    }

    /// Returns this process while one of its callers has the lock.
    public func owner(of name: String) throws(StorageFailure) -> ProcessLockHold.Owner? {
        let since = state.withLock { $0.held[StoreKey(name)]?.since }
        return since.map { ProcessLockHold.Owner(processID: ProcessInfo.processInfo.processIdentifier, since: $0) }
    }

    private func giveUp(_ id: Int, on name: StoreKey) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.held[name]?.queue.firstIndex(where: { $0.id == id }) else { return nil }
            return state.held[name]?.queue.remove(at: place)
        }
        waiter?.end(granted: false)
    }

    private func release(_ name: StoreKey) {
        let next = state.withLock { state -> Waiter? in
            guard var held = state.held[name], !held.queue.isEmpty else {
                state.held[name] = nil
                return nil
            }
            let next = held.queue.removeFirst()
            held.since = Date()
            state.held[name] = held
            return next
        }
        next?.end(granted: true)
    }
}
