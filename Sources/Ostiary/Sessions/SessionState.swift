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

extension Session {
    /// The reason a session ended.
    ///
    /// No other cause ends a session: it survives a failing server or store, a wrong clock and a device without a
    /// network.
    @nonexhaustive
    public enum End: String, Sendable, Hashable {
        /// The user signed out, in this process.
        case userAction
        /// The provider rejects the refresh token, though no response was lost (`invalid_grant`, RFC 6749 section 5.2):
        /// it was revoked.
        case revoked
        /// The provider refuses the refresh token after the time that it had announced for it.
        case expired
        /// The provider rejects a refresh token that it may have replaced before: the response with its successor was
        /// lost, by a crash or by the network.
        case lostRotation
        /// A later sign-in with the same client replaced this session; its tokens are discarded.
        case replaced
        /// Another process removed the stored session: the user signed out there, or the provider ended it.
        case removedElsewhere
    }
}
