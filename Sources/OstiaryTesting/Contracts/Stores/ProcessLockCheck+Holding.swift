import Ostiary
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The promises about the owner of a lock, the wait of others, and the release.
extension ProcessLockCheck {
    func checkExclusion(_ other: any ProcessLock) async throws {
        let promise = "A held lock is not given to another holder; after its release the next one gets it."
        let hold = try await acquire("check held", promise)
        try await expect(held: "check held", of: lock, promise)
        try await expect(held: "check held", of: other, promise)
        hold.release()
        let next = try await acquire("check held", of: other, promise)
        // Of a hold that was given back, nothing is left that could give back another one.
        hold.release()
        try await expect(held: "check held", of: lock, promise)
        next.release()
    }

    func checkPatience(_ other: any ProcessLock) async throws {
        let promise = "A caller waits no longer than its limit, and gets the lock when it is free."
        let hold = try await acquire("check patience", promise)
        let start = ContinuousClock.now
        try await expect(held: "check patience", of: other, waiting: .milliseconds(100), promise)
        let waited = start.duration(to: .now)
        // On a busy machine it may be seconds more; a lock that does not count the time waits for ever.
        guard waited >= .milliseconds(90), waited < .seconds(30) else {
            throw BrokenPromise(promise, found: "\(waited) of waiting instead of a tenth of a second")
        }
        async let next = acquire("check patience", of: other, waiting: .seconds(10), promise)
        try? await Task.sleep(for: .milliseconds(30))
        hold.release()
        try await next.release()
    }

    func checkRelease(_ other: any ProcessLock) async throws {
        // A system that suspends a process requires this: the lock is free when the call returns, and the call does not
        // wait.
        let promise = "A lock is free for every caller as soon as its release has returned."
        for _ in 0..<20 {
            let hold = try await acquire("check release", promise)
            hold.release()
            try await acquire("check release", of: other, waiting: .zero, promise).release()
        }
        let dropped = "A hold without references is released."
        do { _ = try await acquire("check dropped", dropped) }
        try await acquire("check dropped", of: other, dropped).release()
    }

    func checkCancellation(_ other: any ProcessLock) async throws {
        let promise = "A caller that stopped waiting keeps no other caller out."
        let hold = try await acquire("check cancelled", promise)
        let waiting = Task { try? await other.acquire("check cancelled", waiting: .seconds(10)).release() }
        try? await Task.sleep(for: .milliseconds(20))
        waiting.cancel()
        hold.release()
        await waiting.value
        try await acquire("check cancelled", promise).release()
    }
}
