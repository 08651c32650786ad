import OstiaryOAuth

/// The steps of one refresh: lock, read, mark, send, store, answer.
extension RefreshMachine {
    /// Begins a refresh.
    mutating func takeOff() {
        flight = Flight()
        actions.append(.lock)
    }

    /// Ends the refresh; waiting callers get the next one.
    mutating func land() {
        if flight?.holdsLock == true { actions.append(.unlock) }
        flight = nil
        if end == nil, !waiting.isEmpty { takeOff() }
    }

    /// Ends the refresh with a failure.
    ///
    /// - Parameter target: The target whose callers get the error; `nil` for all callers.
    mutating func fail(_ error: SignInError, for target: Tokens.Target?) {
        answer(.failure(error), for: target)
        land()
    }

    mutating func step(to phase: Flight.Phase, _ action: Action) {
        flight?.phase = phase
        actions.append(action)
    }

    /// Continues the refresh with the result of the last step.
    mutating func continueFlight(_ event: Event, _ moment: Moment) {
        guard let flight else {
            if case .locked = event { actions.append(.unlock) }
            return
        }
        if case .rested = event { self.flight?.isPausing = false }
        if case .locked = event {
            if flight.lostLock { return lockAgain() }
            self.flight?.holdsLock = true
        }
        guard end == nil else { return continueAfterEnd(event) }
        if flight.lostLock, flight.phase.isBeforeSending {
            self.flight?.lostLock = false
            return step(to: .locking, .lock)
        }
        switch (flight.phase, event) {
        case (.locking, .locked): step(to: .reading, .read)
        case (.locking, .lockRefused(let failure)): step(to: .readingUnlocked(failure), .read)
        case (.readingUnlocked(let failure), .read(let found)): lookAt(found, without: failure, moment)
        case (.looking, .read(let found)): afterLooking(.success(found), moment)
        case (.looking, .readFailed(let error)): afterLooking(.failure(error), moment)
        case (_, .readFailed(let error)): fail(error, for: nil)
        case (.reading, .read(let found)), (.waitingToRepeat, .read(let found)): decide(with: found, moment)
        case (.catchingUp, .swapped(let swap)): afterCatchingUp(swap, moment)
        case (.marking(let marked), .swapped(let swap)): afterMarking(marked, swap, moment)
        case (.sending, .answered(let answer)): afterSending(answer, moment)
        case (.waitingToRepeat, .rested): step(to: .reading, .read)
        case (.keeping(let kept), .swapped(let swap)): afterKeeping(kept, swap)
        case (.checking, .checked(let answer)): afterChecking(answer, moment)
        case (.storing(let new), .swapped(let swap)): afterStoring(new, swap, moment)
        case (.waitingToStore(let new), .rested):
            if let stored = flight.stored { attemptToStore(new, over: stored) }
        case (.unmarking(let error, let unmarked), .swapped(let swap)):
            if case .done = swap { adopt(unmarked) }
            fail(error, for: flight.target)
        case (.rejecting(let error, let successor, let next), .swapped(let swap)):
            afterRejecting(error, keeping: successor, next, swap, moment)
        case (.removing(let error, let reason), .swapped(let swap)): afterRemoving(error, reason, swap, moment)
        default: break
        }
    }

    /// Releases the lock before the system suspends the process; a sent request is settled when the process continues.
    mutating func giveLockBack() {
        guard let flight else { return }
        if flight.holdsLock { actions.append(.unlock) }
        self.flight?.holdsLock = false
        self.flight?.lostLock = flight.lostLock || flight.holdsLock || flight.phase.isLocking
    }

    /// The time in which the lock may be held was up before it came.
    private mutating func lockAgain() {
        actions.append(.unlock)
        flight?.lostLock = false
        if end == nil { step(to: .locking, .lock) } else { land() }
    }
}
