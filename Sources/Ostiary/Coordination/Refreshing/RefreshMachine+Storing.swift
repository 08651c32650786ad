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

/// The effect of the stored value on a refresh.
extension RefreshMachine {
    /// Decides, with the lock and the stored value in hand: takes over, catches up, or marks and sends.
    mutating func decide(with found: Record?, _ moment: Moment) {
        if endsIfGone(found) { return }
        guard let found else { return }
        if let refusal = flight?.refusal {
            flight?.refusal = nil
            // The refresh token of another process's mark may have been used, with a response that was lost with that
            // process.
            if found.revision != flight?.stored?.revision { flight?.isUncertain = true }
            flight?.stored = found
            if isShown(found) { return remove(found, for: refusal, moment) }
        }
        flight?.stored = found
        if found.revision < record.revision || holdsSuccessor(of: found) {
            // An earlier refresh could not store its tokens, or a restored copy put an old value back. Any later mark
            // by another process is no newer than those tokens.
            isSaved = false
            if found.revision >= record.revision {
                record.revision = found.revision + 1
                // That process may have presented the token a second time, and the server may have ended the session
                // for it.
                if found.journal.flight != nil { record.journal.flight = .init(since: moment.now) }
            }
            return step(to: .catchingUp, .swap(found, record))
        }
        takeOver(found)
        answerMet(moment)
        refuse(moment)
        guard let target = waiting.first?.target else { return land() }
        flight?.target = target
        guard let token = found.newestRefreshToken else { return fail(.sessionOver, for: target) }
        flight?.shown = token
        // An older mark is written anew: a process that cannot store anything must not send anything.
        let mark = found.journal.flight ?? RotationJournal<Tokens.RefreshToken>.Flight(since: moment.now)
        flight?.isUncertain = found.journal.flight != nil
        let marked = found.followed(journal: RotationJournal(candidate: found.journal.candidate, flight: mark))
        step(to: .marking(marked), .swap(found, marked))
    }

    /// Without the lock nothing is sent, but tokens that another process has refreshed are taken over.
    mutating func lookAt(_ found: Record?, without failure: StorageFailure, _ moment: Moment) {
        if endsIfGone(found) { return }
        if let found { notice(found, moment) }
        fail(SignInError(.storage, .storage(failure)), for: nil)
    }

    mutating func afterCatchingUp(_ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done:
            isSaved = true
            if answerMet(moment) { actions.append(.recovered) }
            if waiting.isEmpty { return land() }
            decide(with: record, moment)
        case .found(let other): beginAgain(with: other, moment)
        case .failed(let failure): fail(SignInError(.storage, .storage(failure)), for: nil)
        }
    }

    mutating func afterMarking(_ marked: Record, _ swap: Swap, _ moment: Moment) {
        guard let target = flight?.target, let token = flight?.shown else { return land() }
        switch swap {
        case .done:
            adopt(marked)
            flight?.stored = marked
            step(to: .sending, .send(marked, token, target))
        case .found(let other): beginAgain(with: other, moment)
        // Without the mark nothing is sent: after a crash the use of the token would be unknown.
        case .failed(let failure): fail(SignInError(.storage, .storage(failure)), for: nil)
        }
    }

    /// Handles a stored value that has changed since this refresh read it, despite the lock.
    mutating func beginAgain(with other: Record?, _ moment: Moment) {
        flight?.surprises += 1
        guard let count = flight?.surprises, count < 4 else {
            return fail(SignInError(.storage, .storage(.locked)), for: nil)
        }
        if endsIfGone(other) { return }
        if flight?.holdsLock == true { return decide(with: other, moment) }
        if let other, !holdsSuccessor(of: other) { takeOver(other) }
        flight?.lostLock = false
        step(to: .locking, .lock)
    }
}
