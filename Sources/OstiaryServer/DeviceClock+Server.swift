import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DeviceClock {
    /// The clocks of the machine that runs the backend.
    public static let server: DeviceClock = {
        let start = ContinuousClock.now
        return DeviceClock(
            now: { Date() },
            uptime: { start.duration(to: .now).inSeconds }
        )
    }()

    /// Repeats a store operation until it succeeds or the time is over.
    ///
    /// - Parameters:
    ///   - end: The time after which no further call begins.
    ///   - call: The call; a failure may have carried it out all the same.
    /// - Returns: The result of the call that succeeded.
    /// - Throws: The last failure; a permanent one at once.
    public func repeating<T>(
        until end: Date,
        _ call: () async throws(StorageFailure) -> T
    ) async throws(StorageFailure) -> T {
        var pause = Duration.milliseconds(50)
        while true {
            let failure: StorageFailure
            do throws(StorageFailure) { return try await call() } catch { failure = error }
            let mayPass = failure == .unavailable || failure == .locked
            guard mayPass, now().addingTimeInterval(pause.inSeconds) < end else { throw failure }
            do { try await sleep(pause) } catch { throw failure }
            pause = min(pause * 2, .seconds(1))
        }
    }
}
