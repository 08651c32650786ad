extension Session {
    /// How the session is now.
    public var state: SessionState { coordinator.observers.state }

    /// How the session is now, and then each time that this changes, until it has ended.
    ///
    /// Each call gives a sequence of its own. Who is slow hears of the newest state only, and always of the end.
    public var states: AsyncStream<SessionState> { coordinator.observers.states() }
}
