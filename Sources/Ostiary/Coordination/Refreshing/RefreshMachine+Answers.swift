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

    mutating func afterChecking(_ result: Result<Tokens, SignInError>, _ moment: Moment) {
        guard let stored = flight?.stored else { return land() }
        switch result {
        case .success(let tokens): store(tokens, over: stored)
        case .failure(let error):
            if error.recovery == .retry || error.stage != .identity {
                holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
                return fail(error, for: flight?.target)
            }
            // An answer that failed a check leaves nothing behind; whether the old token is still good, nobody knows.
            let mark = RotationJournal<Tokens.RefreshToken>.Flight(since: moment.now)
            let candidate = flight?.shown == stored.tokens.refreshToken ? nil : flight?.shown
            let unkept = stored.followed(journal: RotationJournal(candidate: candidate, flight: mark))
            step(to: .unmarking(error, unkept), .swap(stored, unkept))
        }
    }
}
