#if PostgreSQL
    import Dispatch

    /// The executor of one connection: a queue with a thread of its own.
    ///
    /// Waiting for the database therefore blocks no thread of Swift's cooperative pool.
    final class ConnectionThread: SerialExecutor {
        private let queue = DispatchQueue(label: "ostiary.postgresql")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }
#endif
