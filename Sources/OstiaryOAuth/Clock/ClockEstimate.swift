/// The lead of a server's clock over a device's uptime, estimated from the `Date` fields of recent responses.
///
/// The estimate is the median of five samples, so that a single outlier has no effect. A response that a cache may have
/// stored counts only until the first response that no cache can have stored, since some caches repeat a date without
/// an `Age`. Samples from before a pause in which the uptime stood still are discarded (``forgetBeforePause(_:)``).
struct ClockEstimate: Sendable, Hashable {
    /// The times of one response.
    struct Sample: Sendable, Hashable {
        /// The `Date` field, in seconds since 1970, whole.
        let date: Double
        /// The uptime when the request was sent.
        let sent: Double
        /// The uptime when the response was received.
        let received: Double
        /// The device's clock when the response was received, in seconds since 1970.
        let shown: Double
        /// Whether a cache may have stored the response (RFC 9110 section 9.2.3).
        let isCacheable: Bool

        /// The server's time at an uptime of 0.
        ///
        /// The field was cut to whole seconds, and was written at some time between sending and receiving.
        fileprivate var origin: Double { date + 0.5 - (sent + received) / 2 }
        /// The device's clock at an uptime of 0.
        fileprivate var shownOrigin: Double { shown - received }
    }

    private var samples: [Sample] = []
    /// Stored, because every check of a token reads it and only a response changes it.
    private var median: Double?

    /// Adds a sample, unless its round trip took more than ten seconds: such a sample is too imprecise.
    mutating func observe(_ sample: Sample) {
        guard (0...Self.longestRoundTrip).contains(sample.received - sample.sent) else { return }
        forgetBeforePause(sample)
        if sample.isCacheable {
            guard samples.allSatisfy(\.isCacheable) else { return }
        } else {
            samples.removeAll(where: \.isCacheable)
        }
        samples.append(sample)
        if samples.count > Self.kept { samples.removeFirst() }
        median = samples.map(\.origin).sorted()[samples.count / 2]
    }

    /// Discards the samples from before a pause that stopped the uptime too, and after which the device's clock was
    /// set.
    ///
    /// The device's clock has then jumped against the uptime, and the server's clock has jumped by the same amount. A
    /// device clock with a constant error jumps in the same way. A device clock that was corrected meanwhile agrees
    /// with the server.
    private mutating func forgetBeforePause(_ sample: Sample) {
        guard let last = samples.last, let median else { return }
        let jump = sample.shownOrigin - last.shownOrigin
        guard abs(jump) > ServerClock.Offset.insignificant else { return }
        let hasServerJumped = abs(sample.origin - median - jump) <= ServerClock.Offset.insignificant
        let isRight = abs(sample.shownOrigin - sample.origin) <= ServerClock.Offset.insignificant
        if hasServerJumped || isRight { samples = [] }
    }

    /// Returns the server's time at an uptime, in seconds since 1970; `nil` before the first response.
    func time(at uptime: Double) -> Double? { median.map { $0 + uptime } }

    private static let kept = 5
    private static let longestRoundTrip: Double = 10
}
