public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DeviceClock {
    /// The clocks of the machine that a backend runs on.
    public static let server: DeviceClock = {
        let start = ContinuousClock.now
        return DeviceClock(
            now: { Date() },
            uptime: {
                let (seconds, attoseconds) = start.duration(to: .now).components
                return Double(seconds) + Double(attoseconds) / 1e18
            }
        )
    }()
}
