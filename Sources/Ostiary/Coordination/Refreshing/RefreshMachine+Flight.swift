import OstiaryOAuth

extension RefreshMachine {
    /// Whether a refresh token has left or may be about to leave, or tokens have come that are not stored.
    ///
    /// A refresh that has lost its last caller sends nothing: it lands once it has the lock.
    package var isUnsettled: Bool {
        guard let flight else { return !isSaved && end == nil }
        return flight.shown != nil || !waiting.isEmpty || !isSaved
    }

    /// Whether tokens are not stored, and the next attempt to store them waits for a caller.
    package var isUnsettledAtRest: Bool { flight == nil && isUnsettled }

    /// One refresh in progress, from taking the lock to the answer.
    struct Flight: Sendable {
        var phase = Phase.locking
        var holdsLock = false
        /// The lock was given back in the middle: nothing may be sent before it is taken again.
        var lostLock = false
        /// The target of the wanted access token.
        var target: Tokens.Target?
        /// The stored value, as last read by this refresh.
        var stored: Record?
        /// The refresh token that is sent.
        var shown: Tokens.RefreshToken?
        /// The server's refusal of the presented refresh token, when the lock had been lost by then.
        var refusal: SignInError?
        /// Whether the presented refresh token may have been used before.
        var isUncertain = false
        /// The number of repetitions of the request.
        var retries = 0
        /// The time since which tokens could not be stored, by the uptime.
        var unstoredSince: Double?
        /// The number of pauses before further attempts to store.
        var pauses = 0
        /// Whether it is waited for now.
        var isPausing = false
        /// The number of times that the stored value had changed.
        var surprises = 0
    }
}

extension RefreshMachine.Flight {
    /// The step in progress.
    enum Phase: Sendable {
        case locking
        case reading
        /// Reading without the lock, which was unavailable: another process may have refreshed the tokens.
        case readingUnlocked(StorageFailure)
        /// Reading without the lock, while the server is to be left alone.
        case looking
        /// Storing the tokens of an earlier refresh.
        case catchingUp
        /// Writing down that the refresh token is about to leave.
        case marking(RefreshMachine.Record)
        case sending
        /// Waiting to send the same refresh token again.
        case waitingToRepeat
        /// Storing the refresh token of an unchecked response.
        case keeping(RefreshMachine.Record)
        case checking
        case storing(RefreshMachine.Record)
        /// Waiting for another attempt to store tokens.
        case waitingToStore(RefreshMachine.Record)
        /// Removing the mark after a failure that ends the refresh.
        case unmarking(SignInError, RefreshMachine.Record)
        /// Storing the refresh token of a response that failed a check.
        case rejecting(SignInError, RefreshSuccessor<RefreshMachine.RefreshToken>, RefreshMachine.Record)
        /// Removing the stored value, since the server rejected its refresh token.
        case removing(SignInError, Session.End)
        /// Revoking tokens that arrived after the session had ended.
        case revoking

        var isLocking: Bool { if case .locking = self { true } else { false } }
        var isLooking: Bool { if case .looking = self { true } else { false } }

        /// Whether the refresh token has yet to leave.
        var isBeforeSending: Bool {
            switch self {
            case .reading, .readingUnlocked, .catchingUp, .marking, .waitingToRepeat: true
            default: false
            }
        }

        /// Whether new tokens may be on their way, or be here and stored nowhere.
        var mayBringTokens: Bool {
            switch self {
            case .sending, .keeping, .checking, .storing, .waitingToStore, .revoking: true
            default: false
            }
        }
    }
}

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
