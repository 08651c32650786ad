extension Duration {
    /// Makes a duration of any number of seconds, such as one that a server sent.
    ///
    /// `Duration.seconds(_:)` traps on NaN, on infinity and on large numbers. Here NaN counts as 0, and a number is
    /// limited to a century in either direction.
    public init(boundedSeconds seconds: Double) {
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -3_153_600_000), 3_153_600_000))
    }

    /// The number of seconds, limited to a century in either direction.
    ///
    /// It is exact for whole seconds.
    public var inSeconds: Double {
        let (seconds, attoseconds) = min(max(self, Self.shortest), Self.longest).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// A century in either direction.
    private static let longest = Duration.seconds(3_153_600_000 as Int64)
    private static let shortest = Duration.seconds(-3_153_600_000 as Int64)
}
