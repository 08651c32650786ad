import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The effect of the server's response, or of its absence, on a refresh.
extension RefreshMachine {
    /// The time and number of automatic repetitions of a refresh whose response was lost.
    package struct Replay: Sendable, Equatable {
        /// Seconds from the first request on.
        package var window: Double
        /// The number of repetitions in one refresh.
        package var retries: Int

        package init(window: Double, retries: Int = 2) {
            self.window = window
            self.retries = retries
        }
    }

    mutating func afterSending(_ answer: Answer, _ moment: Moment) {
        guard let stored = flight?.stored else { return land() }
        switch answer {
        case .tokens(let tokens): store(tokens, over: stored)
        case .unchecked(.new(let token)):
            let kept = stored.followed(journal: RotationJournal(candidate: token))
            step(to: .keeping(kept), .swap(stored, kept))
        case .unchecked: step(to: .checking, .check)
        case .rejected(let error, let successor): reject(for: error, keeping: successor, over: stored, moment)
        case .failed(let error):
            switch RefreshOutcome(error) {
            case .refused: remove(stored, for: error, moment)
            case .unused:
                holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
                guard flight?.isUncertain == false else { return fail(error, for: flight?.target) }
                let unmarked = stored.followed(journal: RotationJournal(candidate: stored.journal.candidate))
                step(to: .unmarking(error, unmarked), .swap(stored, unmarked))
            case .unknown: repeatRequest(after: error, moment)
            }
        }
    }

    /// Tries the same refresh token again, as long as a server may be expected to take it for a repetition.
    private mutating func repeatRequest(after error: SignInError, _ moment: Moment) {
        flight?.isUncertain = true
        let since = flight?.stored?.journal.flight?.since ?? moment.now
        let age = moment.now.timeIntervalSince(since)
        let pause = (flight?.retries == 0 ? 0.2 : 0.8) * (1 + moment.jitter)
        // A response that was too large would be too large again.
        guard case .transport(let failure) = error.reason, failure != .tooLarge, let retries = flight?.retries,
            retries < replay.retries,
            (0...replay.window).contains(age + pause), flight?.lostLock == false
        else {
            holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
            return fail(error, for: flight?.target)
        }
        flight?.retries += 1
        step(to: .waitingToRepeat, .rest(pause))
    }

    mutating func afterKeeping(_ kept: Record, _ swap: Swap) {
        switch swap {
        case .done:
            adopt(kept)
            flight?.stored = kept
        case .failed:
            // The next refresh stores it, in case this one does not receive tokens.
            keepUnsaved(kept)
        case .found(let other?) where isShown(other):
            // Another process marked it while this one was suspended: this is the result of its request.
            flight?.surprises += 1
            flight?.stored = other
            let again = other.followed(journal: RotationJournal(candidate: kept.journal.candidate))
            return step(to: .keeping(again), .swap(other, again))
        case .found: break
        }
        step(to: .checking, .check)
    }

    mutating func afterChecking(_ answer: Answer, _ moment: Moment) {
        guard let stored = flight?.stored else { return land() }
        switch answer {
        case .tokens(let tokens): store(tokens, over: stored)
        case .rejected(let error, let successor): reject(for: error, keeping: successor, over: stored, moment)
        // It waits beside the tokens for the keys.
        case .unchecked: land()
        case .failed(let error):
            holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
            fail(error, for: flight?.target)
        }
    }

    /// Rejects a response that failed a check, and keeps the refresh token that it leaves.
    ///
    /// The server accepts no older refresh token, and the next response passes every check again. Nothing is kept of a
    /// response about another session: presenting its refresh token would end that session. The old refresh token may
    /// then be invalid.
    private mutating func reject(
        for error: SignInError,
        keeping successor: RefreshSuccessor<RefreshToken>,
        over stored: Record,
        _ moment: Moment
    ) {
        holdOff.noteRejection(error, at: moment.uptime, jitter: moment.jitter)
        let shown = flight?.shown == stored.tokens.refreshToken ? nil : flight?.shown
        let journal: RotationJournal<RefreshToken> =
            switch successor {
            case .new(let token): RotationJournal(candidate: token)
            case .unchanged: RotationJournal(candidate: shown)
            case .foreign:
                RotationJournal(candidate: shown, flight: stored.journal.flight ?? .init(since: moment.now))
            }
        if journal == stored.journal { return fail(error, for: flight?.target) }
        let next = stored.followed(journal: journal)
        step(to: .rejecting(error, successor, next), .swap(stored, next))
    }

    mutating func afterRejecting(
        _ error: SignInError,
        keeping successor: RefreshSuccessor<RefreshToken>,
        _ next: Record,
        _ swap: Swap,
        _ moment: Moment
    ) {
        switch (swap, successor) {
        case (.done, _): adopt(next)
        // The next refresh stores it first.
        case (.failed, _): keepUnsaved(next)
        case (.found(let other?), .new) where isShown(other):
            // Another process marked it while this one was suspended: this is the result of its request.
            flight?.surprises += 1
            flight?.stored = other
            return reject(for: error, keeping: successor, over: other, moment)
        case (.found, _): break
        }
        fail(error, for: flight?.target)
    }

    /// Whether a stored value has no other refresh token than the one that this refresh has presented.
    func isShown(_ other: Record) -> Bool {
        other.id == record.id && other.newestRefreshToken == flight?.shown && flight?.surprises ?? 0 < 4
    }
}

/// The callers, and the answers to them.
extension RefreshMachine {
    /// Answers from the stored session, or makes the caller wait for a refresh.
    mutating func ask(_ question: Question, _ moment: Moment) {
        guard end == nil else {
            actions.append(.answer(question.id, .failure(.sessionOver)))
            return
        }
        if let tokens = tokens(for: question.target, meeting: question.need, at: moment.reading) {
            actions.append(.answer(question.id, .success(tokens)))
            return
        }
        if let refusal = refusal(of: question, moment) {
            guard mayLook(at: moment.uptime) else {
                actions.append(.answer(question.id, result(of: refusal, for: question)))
                return
            }
            waiting.append(question)
            if flight == nil { look(moment) }
            return
        }
        waiting.append(question)
        if flight == nil { takeOff() } else { storeSooner() }
    }

    /// Removes a caller; the refresh continues for the others.
    mutating func dismiss(_ id: Int) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: place)
        actions.append(.answer(id, .failure(SignInError(.refresh, .cancelled))))
    }

    /// Takes over a session that was read from the store, if it is newer.
    mutating func notice(_ found: Record, _ moment: Moment) {
        guard end == nil, found.id == record.id, found.revision > record.revision, !holdsSuccessor(of: found) else {
            return
        }
        takeOver(found)
        answerMet(moment)
    }

    /// Takes over a session that another process has stored.
    mutating func takeOver(_ found: Record) {
        if found.tokens != record.tokens { actions.append(.recovered) }
        adopt(found)
    }

    /// Answers every caller whose need is met.
    ///
    /// - Returns: Whether there was such a caller.
    @discardableResult
    mutating func answerMet(_ moment: Moment) -> Bool {
        let questions = waiting
        waiting = []
        for question in questions {
            if let tokens = tokens(for: question.target, meeting: question.need, at: moment.reading) {
                actions.append(.answer(question.id, .success(tokens)))
            } else {
                waiting.append(question)
            }
        }
        return waiting.count < questions.count
    }

    /// Answers the callers that wait for a target, or all callers.
    mutating func answer(_ result: Result<Tokens, SignInError>, for target: Tokens.Target? = nil) {
        let answered = waiting.filter { target == nil || $0.target == target }
        waiting.removeAll { target == nil || $0.target == target }
        for question in answered {
            guard case .failure(let error) = result else {
                actions.append(.answer(question.id, result))
                continue
            }
            let result = self.result(of: error, for: question)
            if case .success = result { actions.append(.failed(error)) }
            actions.append(.answer(question.id, result))
        }
    }
}
