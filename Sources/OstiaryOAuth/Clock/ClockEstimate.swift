/// How far a server's clock is ahead of a device's uptime, estimated from the `Date` fields of its last few answers.
///
/// The median of five is taken, so that one odd answer moves nothing.
struct ClockEstimate: Sendable, Hashable {
    private var samples: [Double] = []
    /// Kept, since it is read with every look at a token and changes with answers only.
    private var median: Double?

    /// Takes one answer into account.
    ///
    /// - Parameters:
    ///   - date: What the server's `Date` field said, in seconds since 1970, whole.
    ///   - sent: The uptime when the request was sent.
    ///   - received: The uptime when the answer had come.
    /// - Returns: Whether it counts: an answer that took more than ten seconds says too little.
    @discardableResult
    mutating func observe(date: Double, sent: Double, received: Double) -> Bool {
        let duration = received - sent
        guard (0...Self.longestRoundTrip).contains(duration) else { return false }
        // The field was cut to whole seconds, and was written at some time between sending and receiving.
        samples.append(date + 0.5 - (sent + duration / 2))
        if samples.count > Self.kept { samples.removeFirst() }
        median = samples.sorted()[samples.count / 2]
        return true
    }

    /// The server's time at an uptime, in seconds since 1970; `nil` before the first answer.
    func time(at uptime: Double) -> Double? { median.map { $0 + uptime } }

    private static let kept = 5
    private static let longestRoundTrip: Double = 10
}
