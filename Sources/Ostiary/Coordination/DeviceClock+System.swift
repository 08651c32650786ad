public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DeviceClock {
    /// The operating system's clocks.
    public static let system: DeviceClock = {
        let start = ContinuousClock.now
        return DeviceClock(now: { Date() }, uptime: { start.duration(to: .now) / .seconds(1) })
    }()
}

extension ExchangeContext {
    /// Makes a context of this device: its clocks and the operating system's random numbers.
    ///
    /// - Parameters:
    ///   - device: The device's clocks.
    ///   - events: Called once for each request when it has ended, without secrets.
    public init(
        device: DeviceClock = .system,
        events: @escaping @Sendable (RequestEvent) -> Void = { _ in }
    ) {
        self.init(clock: ServerClock(device), random: { SecureRandom() }, events: events)
    }
}
