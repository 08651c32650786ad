extension Duration {
    /// Returns the time for which a caller waits for a lock.
    ///
    /// A `Duration` cannot hold infinity, and converting one traps.
    ///
    /// - Parameter seconds: Bounded to 0 to one year; NaN counts as 0.
    static func patience(_ seconds: Double) -> Duration {
        .seconds(seconds.isNaN ? 0 : min(max(seconds, 0), 31_536_000))
    }
}
