package import Dispatch

/// Work that waits for a disk or another program, outside the thread pool of asynchronous functions.
package enum BlockingWork {
    /// Runs work on a queue, and waits for it without occupying a thread of the pool.
    ///
    /// Cancelling the task does not cancel the work, so no write is left half done.
    package static func run<Output: Sendable, Failure: Error>(
        on queue: DispatchQueue = .global(),
        _ work: @escaping @Sendable () throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        let result: Result<Output, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Waits for a moment, also in a cancelled task, so that a caller gets a lock that is about to be free.
    static func pause(milliseconds: Int) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { continuation.resume() }
        }
    }
}
