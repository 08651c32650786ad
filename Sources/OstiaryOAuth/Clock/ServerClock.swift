import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The time by one server's clock, as far as its answers tell it; by the device's clock until then.
///
/// Devices with a wrong clock are common: their proofs are refused, and good tokens look expired or not valid yet. So
/// everything that is compared with a server's times is compared with this clock. A difference within
/// ``ClockOffset/insignificant`` is left alone, and one beyond the bound is reported and not followed: a server that is
/// wrong by days shall not keep old tokens alive.
public final class ServerClock: Sendable {
    private let device: DeviceClock
    private let maximumCorrection: Double
    private let estimate = Mutex(ClockEstimate())
    private let isTold = Mutex(false)

    /// Starts with the device's clock.
    ///
    /// - Parameters:
    ///   - device: The device's clocks.
    ///   - maximumCorrection: The largest difference that is followed, in seconds, 0 or more. Default: two days.
    public init(_ device: DeviceClock, maximumCorrection: Double = 2 * 86_400) {
        self.device = device
        self.maximumCorrection = max(0, maximumCorrection)
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

    /// The time that the device itself shows, right or wrong.
    package var shown: Date { device.now() }

    /// How wrong the device's clock is; `nil` before the server's first answer.
    public var offset: ClockOffset? { offset(at: device.now()) }

    /// The difference, the first time that it is worth telling; `nil` from then on.
    package func offsetToTell() -> ClockOffset? {
        guard let offset, offset.isSignificant else { return nil }
        return isTold.withLock { isTold in
            defer { isTold = true }
            return isTold ? nil : offset
        }
    }

    private func offset(at shown: Date) -> ClockOffset? {
        let uptime = device.uptime()
        return estimate.withLock { $0.time(at: uptime) }.map { ClockOffset(seconds: shown.timeIntervalSince1970 - $0) }
    }

    /// The uptime to hand to ``observe(_:to:sent:)`` when the answer is there.
    func uptime() -> Double { device.uptime() }

    /// Learns from an answer that came straight from the server; one from a cache has an old date.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - method: The request's method: a cache may have kept an answer to a safe one.
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

/// How far a device's clock is from a server's.
public struct ClockOffset: Sendable, Hashable, CustomStringConvertible {
    /// Seconds that the device is ahead; negative when it is behind.
    public let seconds: Double

    /// Takes a difference.
    public init(seconds: Double) { self.seconds = seconds }

    /// Differences up to this many seconds are within what an answer's whole seconds and its way here can tell.
    public static let insignificant: Double = 5

    /// Whether it is worth correcting, and telling.
    public var isSignificant: Bool { abs(seconds) > Self.insignificant }

    /// A sentence for a person: which way the clock is wrong, and by how much.
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
