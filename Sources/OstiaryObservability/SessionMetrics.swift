#if Hummingbird || Vapor
    import Metrics
    public import OstiaryServer

    /// Counts the sessions that began as `ostiary_sessions_begun`; the results of sessions' refreshes as
    /// `ostiary_session_refreshes`, by outcome; sessions that began without a refresh token as
    /// `ostiary_sessions_not_renewable`, or without the user's claims as `ostiary_sessions_without_user_info`; refresh
    /// tokens that were not revoked as `ostiary_sessions_not_revoked`, and those that the issuer has not revoked yet as
    /// `ostiary_session_revocations_delayed`.
    ///
    ///     let metrics = SessionMetrics()
    ///     let sessions = ServerSessions(…, events: { metrics.count($0) })
    public struct SessionMetrics: Sendable {
        /// Makes the counters, in the process's metrics system.
        public init() {}

        /// Counts one event.
        public func count(_ event: ServerSessions.Event) {
            switch event {
            case .began: Counter(label: "ostiary_sessions_begun").increment()
            case .notRenewable: Counter(label: "ostiary_sessions_not_renewable").increment()
            case .revocationDelayed: Counter(label: "ostiary_session_revocations_delayed").increment()
            case .notRevoked: Counter(label: "ostiary_sessions_not_revoked").increment()
            case .withoutUserInfo: Counter(label: "ostiary_sessions_without_user_info").increment()
            default: Counter(label: "ostiary_session_refreshes", dimensions: [("outcome", event.rawValue)]).increment()
            }
        }
    }
#endif
