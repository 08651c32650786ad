import OstiaryOAuth

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
