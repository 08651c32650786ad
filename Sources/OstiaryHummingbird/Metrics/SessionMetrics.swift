#if Hummingbird
    import Metrics
    public import OstiaryServer

    /// Counts what came of access tokens of sessions that had to be renewed, as `ostiary_session_refreshes_total`, by outcome, and
    /// sessions that began without a refresh token as `ostiary_sessions_not_renewable_total`.
    ///
    ///     let metrics = SessionMetrics()
    ///     let sessions = ServerSessions(…, reporting: { metrics.count($0) })
    public struct SessionMetrics: Sendable {
        /// Counts with the process's metrics.
        public init() {}

        /// Counts one.
        public func count(_ event: ServerSessions.Event) {
            guard event != .notRenewable else {
                Counter(label: "ostiary_sessions_not_renewable").increment()
                return
            }
            Counter(label: "ostiary_session_refreshes", dimensions: [("outcome", event.rawValue)]).increment()
        }
    }
#endif
