import OstiaryOAuth

/// New tokens: stored first, answered with then.
extension RefreshMachine {
    mutating func store(_ tokens: Tokens, over stored: Record) {
        holdOff.reset()
        let new = stored.followed(by: tokens)
        keepUnsaved(new)
        attemptToStore(new, over: stored)
    }

    mutating func attemptToStore(_ new: Record, over stored: Record) {
        step(to: .storing(new), .swap(stored, new))
    }

    /// Stores waiting tokens earlier, because of a new caller.
    mutating func storeSooner() {
        guard let flight, case .waitingToStore(let new) = flight.phase, let stored = flight.stored else { return }
        attemptToStore(new, over: stored)
    }

    mutating func afterStoring(_ new: Record, _ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done:
            adopt(new)
            actions.append(.refreshed)
            answerMet(moment)
            // The server issues no token with the requested validity, so a shorter one is returned.
            if let target = flight?.target { answer(.success(new.tokens), for: target) }
            land()
        case .found(let other): reconcile(new, with: other, moment)
        case .failed(let failure): waitToStore(new, after: failure, moment)
        }
    }

    /// Handles a stored value that has changed since the refresh marked it.
    private mutating func reconcile(_ new: Record, with other: Record?, _ moment: Moment) {
        if endsIfGone(other) { return }
        guard let other else { return }
        if other.newestRefreshToken == flight?.shown, flight?.surprises ?? 0 < 4 {
            // Another process has marked it while this one was suspended, and has no successor yet: this is it.
            flight?.surprises += 1
            flight?.stored = other
            return store(new.tokens, over: other)
        }
        // The stored value already has another successor, which all callers get.
        beginAgain(with: other, moment)
    }

    /// The time for which the lock is held for tokens that cannot be stored, in seconds; the command line reports it to
    /// its user.
    private static var longestStoring: Double { 120 }

    /// The time for which a caller waits for tokens that cannot be stored, in seconds.
    ///
    /// A command ends with its answer, and loses the tokens then.
    private static var longestWaiting: Double { 30 }

    /// Tries again before others get the lock: they would find the mark, and try a token that is used up.
    private mutating func waitToStore(_ new: Record, after failure: StorageFailure, _ moment: Moment) {
        let since = flight?.unstoredSince ?? moment.uptime
        flight?.unstoredSince = since
        guard let flight, moment.uptime - since < Self.longestStoring, !flight.lostLock else {
            return fail(SignInError(.storage, .storage(failure)), for: flight?.target)
        }
        let error = SignInError(.storage, .storage(failure))
        if flight.pauses == 0 { actions.append(.failed(error)) }
        if moment.uptime - since >= Self.longestWaiting { answer(.failure(error), for: flight.target) }
        self.flight?.phase = .waitingToStore(new)
        if flight.isPausing { return }
        self.flight?.isPausing = true
        self.flight?.pauses += 1
        let pause = min(5, 0.1 * Double(1 << min(flight.pauses, 10))) * (1 + moment.jitter)
        // The last attempt is made when the time is up, and not after it.
        actions.append(.rest(min(pause, since + Self.longestStoring - moment.uptime)))
    }
}
