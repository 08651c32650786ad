public import OstiaryOAuth

extension Session {
    /// The state of a session.
    public enum State: Sendable, Hashable {
        /// The last refresh worked, here or in another process that shares the session, or none was needed yet.
        case active
        /// The last refresh failed in a way that may pass; nothing is lost, and the next call tries again.
        case stale(SignInError)
        /// It has ended, for good.
        case ended(Session.End)
    }
}
