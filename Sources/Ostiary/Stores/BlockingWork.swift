import Dispatch

/// Work that waits for a disk or for another program, done outside of the pool that asynchronous functions share.
enum BlockingWork {
    /// Does it on a queue, and waits for it without keeping a thread of the pool.
    ///
    /// It is not cancelled with the task: what is half written would be.
    static func run<Output: Sendable, Failure: Error>(
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

    /// Waits a moment, also in a task that was cancelled: whoever waits for a lock that is about to be free goes on then.
    static func pause(milliseconds: Int) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { continuation.resume() }
        }
    }
}
