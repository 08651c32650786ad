import Foundation

/// Tests that wait for something to be so, woken whenever something has changed.
public final class SimulatedWaiters: @unchecked Sendable {
    private struct Waiter {
        let condition: @Sendable () -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let mutex = NSLock()
    private var waiters: [UUID: Waiter] = [:]
    private var cancelled: Set<UUID> = []

    public init() {}

    /// Waits until a condition is so.
    ///
    /// - Returns: Whether it is; `false` when the task was cancelled before.
    public func until(_ condition: @escaping @Sendable () -> Bool) async -> Bool {
        let name = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = mutex.withLock {
                    if cancelled.remove(name) != nil { return true }
                    waiters[name] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume(returning: false) } else { look() }
            }
        } onCancel: {
            let waiter = mutex.withLock {
                let waiter = waiters.removeValue(forKey: name)
                if waiter == nil { cancelled.insert(name) }
                return waiter
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// Something has changed: whose condition is so now goes on.
    public func look() {
        let known = mutex.withLock { waiters }
        for (name, waiter) in known where waiter.condition() {
            // Another thread may have seen it first.
            let isMine = mutex.withLock { waiters.removeValue(forKey: name) != nil }
            if isMine { waiter.continuation.resume(returning: true) }
        }
    }
}
