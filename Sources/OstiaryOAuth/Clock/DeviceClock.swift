#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The clocks of this device: the time, the uptime and a timer.
///
/// The time may be wrong and the user can set it; the uptime never goes back.
public struct DeviceClock: Sendable {
    /// The device's time.
    public let now: @Sendable () -> Date
    /// Seconds since some moment before the process started; it goes on while the device sleeps.
    public let uptime: @Sendable () -> Double
    /// Waits, and throws when the task is cancelled meanwhile.
    public let sleep: @Sendable (Duration) async throws -> Void

    /// Takes clocks.
    public init(
        now: @escaping @Sendable () -> Date,
        uptime: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
    }

    /// Makes a device clock from a single clock that cannot be set.
    public init(now: @escaping @Sendable () -> Date) {
        self.init(now: now, uptime: { now().timeIntervalSince1970 })
    }
}
