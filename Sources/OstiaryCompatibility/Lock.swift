#if canImport(os)
    public import os

    /// A value that one thread at a time reads or changes.
    ///
    /// It has the API of the standard library's `Mutex`, which needs iOS 18 and macOS 15. It is based on
    /// `OSAllocatedUnfairLock` (iOS 16, macOS 13), which gives a waiting thread's priority to the thread that holds it.
    public struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        @usableFromInline
        let system = OSAllocatedUnfairLock()
        // Read and written between `lock` and `unlock` only, which is why the type is Sendable.
        @usableFromInline
        let value: UnsafeMutablePointer<Value>

        /// Creates a lock that holds `value`.
        @inlinable
        public init(_ value: consuming sending Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        @inlinable
        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
        }

        /// Waits for the lock, runs `body` on the value and releases the lock, also after an error.
        ///
        /// A `body` that takes the same lock never returns, or ends the process.
        @inlinable
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            system.lock()
            defer { system.unlock() }
            return try body(&value.pointee)
        }
    }
#else
    public import Synchronization

    /// A value that one thread at a time reads or changes.
    ///
    /// It is the standard library's `Mutex` under a name that Apple's older systems have as well.
    public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline
        let mutex: Mutex<Value>

        /// Creates a lock that holds `value`.
        @inlinable
        public init(_ value: consuming sending Value) { mutex = Mutex(value) }

        /// Waits for the lock, runs `body` on the value and releases the lock, also after an error.
        ///
        /// A `body` that takes the same lock never returns, or ends the process.
        @inlinable
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
