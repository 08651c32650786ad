import HTTPTypes
import OstiaryCompatibility

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The time by one server's clock, estimated from its responses; the device's time until the first response.
///
/// Devices with a wrong clock are common: servers reject their proofs, and valid tokens look expired or not yet valid.
/// So every comparison with a server's times uses this clock. A difference of five
/// seconds or less is ignored. A difference beyond the bound is reported and not applied, so that a server with a wrong clock cannot
/// keep old tokens alive.
public final class ServerClock: Sendable {
    private let device: DeviceClock
    private let maximumCorrection: Double
    private let estimate = Lock(ClockEstimate())
    private let isTold = Lock(false)

    /// Starts with the device's clock.
    ///
    /// - Parameters:
    ///   - device: The device's clocks.
    ///   - maximumCorrection: The largest difference that is followed, 0 or more. Default: two days.
    public init(_ device: DeviceClock, maximumCorrection: Duration = .seconds(172_800)) {
        self.device = device
        self.maximumCorrection = max(0, maximumCorrection.inSeconds)
    }

    /// The time to compare with, and to write into proofs.
    public var now: Date { reading.date }

    /// The time to compare with, and whether the server has a part in it.
    package var reading: ClockReading {
        let shown = device.now()
        guard let offset = offset(at: shown), abs(offset.seconds) <= maximumCorrection else {
            return ClockReading(shown, isConfirmed: false)
        }
        return ClockReading(
            offset.isSignificant ? shown.addingTimeInterval(-offset.seconds) : shown,
            isConfirmed: true,
            shown: shown
        )
    }

    /// The device's own time, uncorrected.
    package var shown: Date { device.now() }

    /// The error of the device's clock; `nil` before the server's first response.
    public var offset: ServerClock.Offset? { offset(at: device.now()) }

    /// The difference, the first time that it is worth telling; `nil` from then on.
    package func offsetToTell() -> ServerClock.Offset? {
        guard let offset, offset.isSignificant else { return nil }
        return isTold.withLock { isTold in
            defer { isTold = true }
            return isTold ? nil : offset
        }
    }

    private func offset(at shown: Date) -> ServerClock.Offset? {
        let uptime = device.uptime()
        return estimate.withLock { $0.time(at: uptime) }.map {
            ServerClock.Offset(seconds: shown.timeIntervalSince1970 - $0)
        }
    }

    /// The uptime to pass to ``observe(_:to:sent:)`` after the response.
    func uptime() -> Double { device.uptime() }

    /// Updates the estimate from a response of the server itself; a cached one has an old date.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - method: The request's method: a cache may have stored the response to a safe method.
    ///   - sent: The uptime when the request was sent.
    func observe(_ response: EndpointResponse, to method: HTTPRequest.Method, sent: Double) {
        guard response.fields[.age] == nil, let date = response.fields[.date].flatMap(HTTPDate.date) else { return }
        let sample = ClockEstimate.Sample(
            date: date.timeIntervalSince1970,
            sent: sent,
            received: device.uptime(),
            shown: device.now().timeIntervalSince1970,
            isCacheable: method == .get || method == .head
        )
        estimate.withLock { $0.observe(sample) }
    }
}

extension ServerClock {
    /// The difference between a device's clock and a server's.
    public struct Offset: Sendable, Hashable, CustomStringConvertible {
        /// The time by which the device is ahead; negative when it is behind.
        public var lead: Duration { Duration(boundedSeconds: seconds) }
        let seconds: Double

        init(seconds: Double) { self.seconds = seconds }

        /// Takes a difference.
        public init(lead: Duration) { self.init(seconds: lead.inSeconds) }

        /// The largest difference, in seconds, that whole seconds and network latency can explain.
        static let insignificant: Double = 5

        /// Whether it is worth correcting, and telling.
        public var isSignificant: Bool { abs(seconds) > Self.insignificant }

        /// A sentence for the user: the direction and size of the clock's error.
        public var description: String {
            guard isSignificant else { return "The clock of this device is right." }
            return "The clock of this device is \(Self.amount(abs(seconds))) \(seconds > 0 ? "fast" : "slow")."
        }

        private static func amount(_ seconds: Double) -> String {
            let units: [(name: String, length: Double)] = [("day", 86_400), ("hour", 3600), ("minute", 60)]
            for unit in units where seconds >= unit.length {
                let count = Int(exactly: (seconds / unit.length).rounded()) ?? Int.max
                return count == 1 ? "1 \(unit.name)" : "\(count) \(unit.name)s"
            }
            return "\(Int(seconds.rounded())) seconds"
        }
    }
}
