#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The clocks of this device: what time it believes it is, how long it has been running, and how to wait.
///
/// The first can be wrong and can be set by a person; the second only ever goes forward.
public struct DeviceClock: Sendable {
    /// What the device shows.
    public let now: @Sendable () -> Date
    /// Seconds since some moment before the process started; it goes on while the device sleeps.
    public let uptime: @Sendable () -> Double
    /// Waits for some seconds, and throws when the task is cancelled meanwhile.
    public let sleep: @Sendable (Double) async throws -> Void

    /// Takes clocks.
    public init(
        now: @escaping @Sendable () -> Date,
        uptime: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
    }

    /// Takes one clock that nobody sets.
    public init(now: @escaping @Sendable () -> Date) {
        self.init(now: now, uptime: { now().timeIntervalSince1970 })
    }
}
