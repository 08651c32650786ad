import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the server's answer, or the lack of one, means for a flight.
extension RefreshMachine {
    /// How long, and how often, a refresh whose answer was lost is tried again by itself.
    package struct Replay: Sendable, Equatable {
        /// Seconds from the first request on.
        package var window: Double
        /// How often in one flight.
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
        case .unchecked(nil): step(to: .checking, .check)
        case .unchecked(let token):
            let kept = stored.followed(journal: RotationJournal(candidate: token))
            step(to: .keeping(kept), .swap(stored, kept))
        case .rejected(let error, let token): reject(for: error, sparing: token, over: stored, moment)
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
        guard case .transport = error.reason, let retries = flight?.retries, retries < replay.retries,
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
            // The next flight stores it, should this one not get as far as the tokens.
            record = kept
            isSaved = false
        case .found: break
        }
        step(to: .checking, .check)
    }

    mutating func afterChecking(_ answer: Answer, _ moment: Moment) {
        guard let stored = flight?.stored else { return land() }
        switch answer {
        case .tokens(let tokens): store(tokens, over: stored)
        case .rejected(let error, let token): reject(for: error, sparing: token, over: stored, moment)
        // It waits beside the tokens for the keys.
        case .unchecked: land()
        case .failed(let error):
            holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
            fail(error, for: flight?.target)
        }
    }

    /// Hands nothing of an answer out that failed a check.
    ///
    /// Where the check may hold another time, as when the device's clock is wrong, the refresh token of the answer is kept: the
    /// server takes no older one any more, and what the next one brings is checked as well. Otherwise nothing is kept. An
    /// answer that is about somebody else may hold somebody else's refresh token, and to show that would end their session;
    /// whether the old one is still good, nobody knows.
    private mutating func reject(
        for error: SignInError,
        sparing token: Tokens.RefreshToken?,
        over stored: Record,
        _ moment: Moment
    ) {
        let next: Record
        if let token {
            next = stored.followed(journal: RotationJournal(candidate: token))
        } else {
            let mark = stored.journal.flight ?? RotationJournal<Tokens.RefreshToken>.Flight(since: moment.now)
            let candidate = flight?.shown == stored.tokens.refreshToken ? nil : flight?.shown
            next = stored.followed(journal: RotationJournal(candidate: candidate, flight: mark))
        }
        if next.journal == stored.journal { return fail(error, for: flight?.target) }
        step(to: .rejecting(error, next), .swap(stored, next))
    }

    mutating func afterRejecting(_ error: SignInError, _ next: Record, _ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done: adopt(next)
        case .failed:
            // The next flight stores it before it does anything else.
            record = next
            isSaved = false
        case .found(let other?) where next.journal.flight == nil && isShown(other):
            // Another process has marked it while this one was suspended: this is what came of it.
            flight?.surprises += 1
            flight?.stored = other
            return reject(for: error, sparing: next.journal.candidate, over: other, moment)
        case .found: break
        }
        fail(error, for: flight?.target)
    }

    /// Whether a stored value has no other refresh token than the one that this flight has shown.
    func isShown(_ other: Record) -> Bool {
        other.id == record.id && other.newestRefreshToken == flight?.shown && flight?.surprises ?? 0 < 4
    }
}
