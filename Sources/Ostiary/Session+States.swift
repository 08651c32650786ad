extension Session {
    /// The current state of the session.
    public var state: Session.State { coordinator.observers.state }

    /// The current state of the session and each later one, until the session has ended.
    ///
    /// Each call returns a sequence of its own. A slow consumer gets only the newest state, and always the end.
    public var states: AsyncStream<Session.State> { coordinator.observers.states() }
}
