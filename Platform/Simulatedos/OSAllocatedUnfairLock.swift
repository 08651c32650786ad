import Foundation
import SimulatedPlatform

/// documentation/os/osallocatedunfairlock
///
/// The system ends a process that takes a lock twice on one thread, or releases one that another thread has: so does this.
@available(iOS 16.0, macCatalyst 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private let mutex = ErrorCheckingMutex()

    public init() where State == () {}

    @available(*, noasync, message: "Use the scoped form.")
    public func lock() { mutex.lock() }

    @available(*, noasync, message: "Use the scoped form.")
    public func unlock() { mutex.unlock() }
}

private final class ErrorCheckingMutex: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { precondition(pthread_mutex_lock(mutex) == 0, "an unfair lock was taken twice on one thread") }
    func unlock() { precondition(pthread_mutex_unlock(mutex) == 0, "an unfair lock was released by another thread") }
}
