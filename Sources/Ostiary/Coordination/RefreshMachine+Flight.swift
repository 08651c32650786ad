import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One flight, from the lock to the answer.
extension RefreshMachine {
    mutating func continueFlight(_ event: Event, _ moment: Moment) {
        guard let flight else {
            if case .locked = event { actions.append(.unlock) }
            return
        }
        if case .locked = event {
            if flight.lostLock {
                // The time in which it may be held was up before it came.
                actions.append(.unlock)
                self.flight?.lostLock = false
                return end == nil ? step(to: .locking, .lock) : land()
            }
            self.flight?.holdsLock = true
        }
        guard end == nil else { return wind(up: event) }
        if flight.lostLock, flight.phase.isBeforeSending {
            self.flight?.lostLock = false
            return step(to: .locking, .lock)
        }
        switch (flight.phase, event) {
        case (.locking, .locked): step(to: .reading, .read)
        case (.locking, .lockRefused(let failure)): step(to: .looking(failure), .read)
        case (.reading, .read(let found)), (.resting, .read(let found)): consider(found, moment)
        case (.looking(let failure), .read(let found)): look(at: found, without: failure, moment)
        case (_, .readFailed(let error)): fail(error, for: nil)
        case (.resting, .rested): step(to: .reading, .read)
        case (.saving, .swapped(let swap)): saved(swap, moment)
        case (.marking(let marked), .swapped(let swap)): self.marked(marked, swap, moment)
        case (.sending, .answered(let answer)): received(answer, moment)
        case (.keeping(let kept), .swapped(let swap)): self.kept(kept, swap)
        case (.checking, .checked(let result)): checked(result, moment)
        case (.storing(let new), .swapped(let swap)): stored(new, swap, moment)
        case (.pausing(let new), .rested):
            if let base = flight.base { attemptToStore(new, over: base) }
        case (.unmarking(let error, let unmarked), .swapped(let swap)):
            if case .done = swap { adopt(unmarked) }
            fail(error, for: flight.target)
        case (.removing(let error, let reason), .swapped(let swap)): removed(error, reason, swap, moment)
        default: break
        }
    }

    private mutating func step(to phase: Flight.Phase, _ action: Action) {
        flight?.phase = phase
        actions.append(action)
    }

    private mutating func fail(_ error: SignInError, for target: Tokens.Target?) {
        answer(.failure(error), for: target)
        land()
    }

    /// What is still on its way when the session has ended: nobody may keep what it brings.
    private mutating func wind(up event: Event) {
        switch event {
        case .answered(.tokens(let tokens)), .checked(.success(let tokens)): return giveBack(tokens)
        case .answered(.unchecked): return step(to: .checking, .check)
        case .swapped:
            switch flight?.phase {
            case .storing(let new): return giveBack(new.tokens)
            case .keeping: return step(to: .checking, .check)
            default: break
            }
        case .rested:
            switch flight?.phase {
            case .pausing(let new): return giveBack(new.tokens)
            case .resting: break
            // What it was for has been done sooner.
            default: return
            }
        default: break
        }
        answer(.failure(.sessionOver))
        land()
    }

    private mutating func giveBack(_ tokens: Tokens) { step(to: .revoking, .revoke(tokens)) }

    /// Somebody removed the stored value, or another sign-in replaced it.
    private mutating func goneOrReplaced(_ found: Record?) -> Bool {
        if let found, found.id == record.id { return false }
        // Still in the air, so that who waits is answered after the revocation.
        if !isSaved { giveBack(record.tokens) }
        finish(as: found != nil ? .replaced : isLeaving ? .userAction : .removedElsewhere)
        if isSaved { land() }
        return true
    }

    /// Decides, with the lock and the stored value in hand.
    private mutating func consider(_ found: Record?, _ moment: Moment) {
        if goneOrReplaced(found) { return }
        guard let found else { return }
        flight?.base = found
        if found.revision < record.revision {
            // An earlier flight could not store its tokens, or somebody put an old value back.
            isSaved = false
            return step(to: .saving, .swap(found, record))
        }
        adopt(found)
        answerMet(moment)
        guard let target = waiting.first?.target else { return land() }
        flight?.target = target
        guard let token = found.newestRefreshToken else { return fail(.sessionOver, for: target) }
        flight?.shown = token
        // An older mark is written anew: whoever can store nothing sends nothing.
        let mark = found.journal.flight ?? RotationJournal<Tokens.RefreshToken>.Flight(since: moment.now)
        flight?.isUncertain = found.journal.flight != nil
        let marked = found.followed(journal: RotationJournal(candidate: found.journal.candidate, flight: mark))
        step(to: .marking(marked), .swap(found, marked))
    }

    private mutating func look(at found: Record?, without failure: StorageFailure, _ moment: Moment) {
        if goneOrReplaced(found) { return }
        if let found { notice(found, moment) }
        fail(SignInError(.storage, .storage(failure)), for: nil)
    }

    private mutating func saved(_ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done:
            isSaved = true
            answerMet(moment)
            if waiting.isEmpty { return land() }
            consider(record, moment)
        case .found(let other): surprise(other, moment)
        case .failed(let failure): fail(SignInError(.storage, .storage(failure)), for: nil)
        }
    }

    private mutating func marked(_ marked: Record, _ swap: Swap, _ moment: Moment) {
        guard let target = flight?.target, let token = flight?.shown else { return land() }
        switch swap {
        case .done:
            adopt(marked)
            flight?.base = marked
            step(to: .sending, .send(marked, token, target))
        case .found(let other): surprise(other, moment)
        // Without the mark nothing is sent: a crash would lose what nobody knows to be used.
        case .failed(let failure): fail(SignInError(.storage, .storage(failure)), for: nil)
        }
    }

    /// The stored value is another one than this flight has read, though it has the lock.
    private mutating func surprise(_ other: Record?, _ moment: Moment) {
        flight?.surprises += 1
        guard let count = flight?.surprises, count < 4 else {
            return fail(SignInError(.storage, .storage(.locked)), for: nil)
        }
        if goneOrReplaced(other) { return }
        isSaved = true
        if flight?.holdsLock == true { return consider(other, moment) }
        if let other { adopt(other) }
        flight?.lostLock = false
        step(to: .locking, .lock)
    }

    private mutating func received(_ answer: Answer, _ moment: Moment) {
        guard let base = flight?.base else { return land() }
        switch answer {
        case .tokens(let tokens): store(tokens, over: base)
        case .unchecked(nil): step(to: .checking, .check)
        case .unchecked(let token):
            let kept = base.followed(journal: RotationJournal(candidate: token))
            step(to: .keeping(kept), .swap(base, kept))
        case .failed(let error):
            switch RefreshOutcome(error) {
            case .refused: remove(base, for: error, moment)
            case .unused:
                holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
                guard flight?.isUncertain == false else { return fail(error, for: flight?.target) }
                let unmarked = base.followed(journal: RotationJournal(candidate: base.journal.candidate))
                step(to: .unmarking(error, unmarked), .swap(base, unmarked))
            case .unknown: retry(after: error, moment)
            }
        }
    }

    private mutating func kept(_ kept: Record, _ swap: Swap) {
        switch swap {
        case .done:
            adopt(kept)
            flight?.base = kept
        case .failed:
            // The next flight stores it, should this one not get as far as the tokens.
            record = kept
            isSaved = false
        case .found: break
        }
        step(to: .checking, .check)
    }

    /// Tries the same refresh token again, as long as a server may be expected to take it for a repetition.
    private mutating func retry(after error: SignInError, _ moment: Moment) {
        flight?.isUncertain = true
        let since = flight?.base?.journal.flight?.since ?? moment.now
        let age = moment.now.timeIntervalSince(since)
        let pause = (flight?.retries == 0 ? 0.2 : 0.8) * (1 + moment.jitter)
        guard case .transport = error.reason, let retries = flight?.retries, retries < replay.retries,
            (0...replay.window).contains(age + pause), flight?.lostLock == false
        else {
            holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
            return fail(error, for: flight?.target)
        }
        flight?.retries += 1
        step(to: .resting, .rest(pause))
    }

    private mutating func checked(_ result: Result<Tokens, SignInError>, _ moment: Moment) {
        guard let base = flight?.base else { return land() }
        switch result {
        case .success(let tokens): store(tokens, over: base)
        case .failure(let error):
            if error.recovery == .retry || error.stage != .identity {
                holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
                return fail(error, for: flight?.target)
            }
            // An answer that failed a check leaves nothing behind; whether the old token is still good, nobody knows.
            let mark = RotationJournal<Tokens.RefreshToken>.Flight(since: moment.now)
            let candidate = flight?.shown == base.tokens.refreshToken ? nil : flight?.shown
            let unkept = base.followed(journal: RotationJournal(candidate: candidate, flight: mark))
            step(to: .unmarking(error, unkept), .swap(base, unkept))
        }
    }

    /// Stores first, answers then.
    private mutating func store(_ tokens: Tokens, over base: Record) {
        holdOff.reset()
        let new = base.followed(by: tokens)
        record = new
        isSaved = false
        attemptToStore(new, over: base)
    }

    /// Stores what waits for it, for a caller who asks meanwhile.
    mutating func storeSooner() {
        guard let flight, case .pausing(let new) = flight.phase, let base = flight.base else { return }
        attemptToStore(new, over: base)
    }

    private mutating func attemptToStore(_ new: Record, over base: Record) {
        flight?.storings += 1
        step(to: .storing(new), .swap(base, new))
    }

    private mutating func stored(_ new: Record, _ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done:
            adopt(new)
            actions.append(.refreshed)
            answerMet(moment)
            // A token that lasts less long than was asked for is all that the server gives.
            if let target = flight?.target { answer(.success(new.tokens), for: target) }
            land()
        case .found(let other):
            if goneOrReplaced(other) { return }
            guard let other else { return }
            if other.newestRefreshToken == flight?.shown, flight?.surprises ?? 0 < 4 {
                // Another process has marked it while this one was suspended, and has no successor yet: this is it.
                flight?.surprises += 1
                flight?.base = other
                return store(new.tokens, over: other)
            }
            // It has another successor already, which counts for everybody.
            surprise(other, moment)
        case .failed(let failure):
            // Before others get the lock: they would find the mark, and try a token that is used up. Nobody waits for it.
            guard let flight, flight.storings < 10, !flight.lostLock else {
                return fail(SignInError(.storage, .storage(failure)), for: flight?.target)
            }
            if flight.storings >= 3 { answer(.failure(SignInError(.storage, .storage(failure))), for: flight.target) }
            step(to: .pausing(new), .rest(min(20, 0.1 * Double(1 << flight.storings)) * (1 + moment.jitter)))
        }
    }

    /// The server refused the refresh token: that ends the session, unless another one is stored by now.
    private mutating func remove(_ base: Record, for error: SignInError, _ moment: Moment) {
        let isOld = base.tokens.refreshTokenExpiry.map { $0 <= moment.now } ?? false
        let reason: SessionEnd = flight?.isUncertain == true ? .lostRotation : isOld ? .expired : .revoked
        step(to: .removing(error, reason), .swap(base, nil))
    }

    private mutating func removed(_ error: SignInError, _ reason: SessionEnd, _ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done, .found(nil): finish(as: reason, telling: error)
        case .found(let other?) where other.id == record.id:
            guard other.newestRefreshToken == flight?.shown, flight?.surprises ?? 0 < 4 else {
                return surprise(other, moment)
            }
            flight?.surprises += 1
            return remove(other, for: error, moment)
        case .found: finish(as: .replaced)
        case .failed(let failure): finish(as: reason, telling: SignInError(.storage, .storage(failure)))
        }
        land()
    }
}

extension RefreshMachine.Flight.Phase {
    var isLocking: Bool { if case .locking = self { true } else { false } }

    /// Whether the refresh token has yet to leave.
    fileprivate var isBeforeSending: Bool {
        switch self {
        case .reading, .looking, .saving, .marking, .resting: true
        default: false
        }
    }

    /// Whether new tokens may be on their way.
    var isInTheAir: Bool {
        switch self {
        case .sending, .keeping, .checking, .storing, .pausing, .revoking: true
        default: false
        }
    }
}
