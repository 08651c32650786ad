import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock that a test moves by hand, shared by the client and the provider that it talks to.
public final class TestClock: Sendable {
    private let time: Lock<Date>

    /// Starts a clock.
    ///
    /// - Parameter start: Default: a moment in January 2027.
    public init(_ start: Date = Date(timeIntervalSince1970: 1_800_000_000)) { time = Lock(start) }

    /// The time of the clock.
    public var now: Date { time.withLock { $0 } }

    /// Moves it.
    ///
    /// - Parameter step: May be negative.
    public func advance(by step: Duration) { time.withLock { $0 += step.inSeconds } }

    /// The clock as a device's: waiting moves it instead of taking time.
    public var device: DeviceClock {
        DeviceClock(
            now: { self.now },
            uptime: { self.now.timeIntervalSince1970 },
            sleep: { pause in
                try Task.checkCancellation()
                self.advance(by: pause)
            }
        )
    }
}
