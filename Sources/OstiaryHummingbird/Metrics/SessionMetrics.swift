#if Hummingbird
    import Metrics
    public import OstiaryServer

    /// Counts what came of access tokens of sessions that had to be renewed, as `ostiary_session_refreshes_total`, by outcome.
    ///
    ///     let metrics = SessionMetrics()
    ///     let sessions = ServerSessions(…, reporting: { metrics.count($0) })
    public struct SessionMetrics: Sendable {
        /// Counts with the process's metrics.
        public init() {}

        /// Counts one.
        public func count(_ event: ServerSessions.Event) {
            Counter(label: "ostiary_session_refreshes", dimensions: [("outcome", event.rawValue)]).increment()
        }
    }
#endif
