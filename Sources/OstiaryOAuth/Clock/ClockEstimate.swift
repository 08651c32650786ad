/// How far a server's clock is ahead of a device's uptime, estimated from the `Date` fields of its last few answers.
///
/// The median of five is taken, so that one odd answer moves nothing. Answers that a cache may have kept count only until one
/// comes that none can have kept: some caches repeat a date without saying how old it is. Where the uptime stood still, since
/// the machine did, what was learned before says nothing any more (``forgetBeforePause(_:)``).
struct ClockEstimate: Sendable, Hashable {
    /// What one answer says.
    struct Sample: Sendable, Hashable {
        /// The `Date` field, in seconds since 1970, whole.
        let date: Double
        /// The uptime when the request was sent.
        let sent: Double
        /// The uptime when the answer had come.
        let received: Double
        /// What the device showed when the answer had come, in seconds since 1970.
        let shown: Double
        /// Whether a cache may have kept the answer (RFC 9110 section 9.2.3).
        let isCacheable: Bool

        /// The server's time at an uptime of 0.
        ///
        /// The field was cut to whole seconds, and was written at some time between sending and receiving.
        fileprivate var origin: Double { date + 0.5 - (sent + received) / 2 }
        /// What the device showed at an uptime of 0.
        fileprivate var shownOrigin: Double { shown - received }
    }

    private var samples: [Sample] = []
    /// Kept, since it is read with every look at a token and changes with answers only.
    private var median: Double?

    /// Takes one answer into account, unless it took more than ten seconds: such a one says too little.
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

    /// Forgets every answer of before a pause of the machine in which the uptime stood still, too, and after which the device
    /// was told the time.
    ///
    /// Then what the device shows has jumped against the uptime, and the server's time has jumped as far: a clock that is
    /// always wrong by the same time shows that as well. A clock that was put right meanwhile agrees with the server.
    private mutating func forgetBeforePause(_ sample: Sample) {
        guard let last = samples.last, let median else { return }
        let jump = sample.shownOrigin - last.shownOrigin
        guard abs(jump) > ClockOffset.insignificant else { return }
        let hasServerJumped = abs(sample.origin - median - jump) <= ClockOffset.insignificant
        let isRight = abs(sample.shownOrigin - sample.origin) <= ClockOffset.insignificant
        if hasServerJumped || isRight { samples = [] }
    }

    /// The server's time at an uptime, in seconds since 1970; `nil` before the first answer.
    func time(at uptime: Double) -> Double? { median.map { $0 + uptime } }

    private static let kept = 5
    private static let longestRoundTrip: Double = 10
}
