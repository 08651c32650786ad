extension Duration {
    /// The time for which a caller waits for a lock.
    ///
    /// A `Duration` cannot hold infinity, and making one of it ends the process.
    ///
    /// - Parameter seconds: Bounded to 0 to one year; a value that is no number counts as 0.
    static func patience(_ seconds: Double) -> Duration {
        .seconds(seconds.isNaN ? 0 : min(max(seconds, 0), 31_536_000))
    }
}
