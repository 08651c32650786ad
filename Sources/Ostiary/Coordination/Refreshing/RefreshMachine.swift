import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Every decision about the refreshes of one session in one process: events in, actions out.
///
/// It does no I/O and never waits. Its driver carries out the actions in their order and passes back the result of the
/// one that takes time. ``RefreshCoordinator`` does so with the real lock, store and server. The simulation of the
/// tests does so with ones that fail, crash and race by a number.
///
/// Its invariants:
/// - One request at a time for a refresh token, whichever access token is wanted.
/// - The stored value counts: it is read again under the lock, and the tokens that another process refreshed are taken
///   over.
/// - A mark is stored before the refresh token leaves; tokens are stored before a caller gets them.
/// - The refresh token of every response is kept, unless the response is about another session. Tokens are returned
///   only when every check holds. A process that holds a successor presents no predecessor.
/// - Only the user, or the server's refusal of the newest refresh token, removes the stored value.
package struct RefreshMachine: Sendable {
    package typealias Record = StoredSession

    /// The newest value that this process knows.
    package private(set) var record: Record
    /// Whether that value is stored.
    package private(set) var isSaved: Bool
    /// The reason the session ended; `nil` while it is active.
    package private(set) var end: Session.End?

    private let replay: Replay
    /// The refresh token that the newest value took the place of, while that value is not stored.
    private var replaced: Secret?
    /// The waiting callers.
    private var waiting: [Caller] = []
    /// The refresh in progress.
    private(set) var refresh: Refresh?
    /// Whether tokens that arrive after the end may be revoked: that could end the session which replaced this one.
    private var mayRevoke = true
    /// Whether the user is signing out: this process is about to remove the stored value.
    private var isSigningOut = false
    private var holdOff = RefreshHoldOff()
    /// The last read of the store for callers during a back-off, by the uptime.
    private var lastReread: Double?
    /// The time of the event that is being taken in.
    private var reading: ClockReading?
    /// The actions of the current event so far.
    private var actions: [Action] = []

    /// Begins with a value that is stored.
    package init(_ record: Record, replay: Replay) {
        self.record = record
        self.replay = replay
        isSaved = true
    }

    /// Handles an event.
    ///
    /// - Returns: The actions to carry out, in this order.
    package mutating func handle(_ event: Event, at moment: Moment) -> [Action] {
        reading = moment.reading
        switch event {
        case .asked(let caller): ask(caller, moment)
        case .cancelled(let id): removeCaller(id)
        case .noticed(let found): notice(found, moment)
        case .signingOut: isSigningOut = true
        case .signOutFailed: isSigningOut = false
        case .sessionEnded(let reason): endSession(as: reason)
        case .replaced(let other): endSession(replacedBy: other)
        case .suspending: releaseLock()
        default: continueRefresh(event, moment)
        }
        defer { actions = [] }
        return actions
    }

    /// Returns the stored tokens, if they meet a need; unstored tokens are never returned.
    package func tokens(for target: AccessTokenTarget, meeting need: Need, at reading: ClockReading) -> TokenSet? {
        accessToken(for: target, meeting: need, at: reading) == nil ? nil : record.tokens
    }

    /// Returns the stored access token for a target, if it meets a need; an unstored one is never returned.
    package func accessToken(for target: AccessTokenTarget, meeting need: Need, at reading: ClockReading) -> Secret? {
        guard end == nil, isSaved, let token = record.tokens.access(for: target) else { return nil }
        let isMet =
            switch need {
            // A token that cannot be refreshed is used until it expires.
            case .lasting(.usually) where record.newestRefreshToken == nil: token.isFresh(at: reading, for: .atLeast(0))
            case .lasting(let validity): token.isFresh(at: reading, for: validity)
            case .other(let known): token.value != known
            }
        return isMet ? token.value : nil
    }

    /// Whether a refresh token has left or may be about to leave, or tokens have come that are not stored.
    ///
    /// A refresh that has lost its last caller sends nothing: it ends once it has the lock.
    package var isUnsettled: Bool {
        guard let refresh else { return !isSaved && end == nil }
        return refresh.presented != nil || !waiting.isEmpty || !isSaved
    }

    /// Whether tokens are not stored, and the next attempt to store them waits for a caller.
    package var isUnsettledAtRest: Bool { refresh == nil && isUnsettled }

    // MARK: Values

    /// Takes a stored value over.
    private mutating func adopt(_ found: Record) {
        record = found
        isSaved = true
    }

    /// Takes a value in that could not be stored, to store it before anything else is done.
    private mutating func keepUnsaved(_ new: Record) {
        record = new
        isSaved = false
        replaced = refresh?.presented
    }

    /// Whether a stored value still has the refresh token that a value of this process took the place of, which could
    /// not be stored: however often the older one was written since, this process has its successor.
    private func holdsSuccessor(of found: Record) -> Bool {
        guard !isSaved, let replaced else { return false }
        return found.id == record.id && found.newestRefreshToken == replaced && record.newestRefreshToken != replaced
    }

    // MARK: Callers

    /// Answers from the stored session, or makes the caller wait for a refresh.
    private mutating func ask(_ caller: Caller, _ moment: Moment) {
        guard end == nil else {
            actions.append(.answer(caller.id, .failure(.sessionOver)))
            return
        }
        if let tokens = tokens(for: caller.target, meeting: caller.need, at: moment.reading) {
            actions.append(.answer(caller.id, .success(tokens)))
            return
        }
        if let refusal = refusal(of: caller, moment) {
            guard mayReread(at: moment.uptime) else {
                actions.append(.answer(caller.id, result(of: refusal, for: caller)))
                return
            }
            waiting.append(caller)
            if refresh == nil { reread(moment) }
            return
        }
        waiting.append(caller)
        if refresh == nil { beginRefresh() } else { storeSooner() }
    }

    /// Removes a caller; the refresh continues for the others.
    private mutating func removeCaller(_ id: Int) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: place)
        actions.append(.answer(id, .failure(SignInError(.refresh, .cancelled))))
    }

    /// Takes over a session that was read from the store, if it is newer.
    private mutating func notice(_ found: Record, _ moment: Moment) {
        guard end == nil, found.id == record.id, found.revision > record.revision, !holdsSuccessor(of: found) else {
            return
        }
        takeOver(found)
        answerMet(moment)
    }

    /// Takes over a session that another process has stored.
    private mutating func takeOver(_ found: Record) {
        if found.tokens != record.tokens { actions.append(.recovered) }
        adopt(found)
    }

    /// Answers every caller whose need is met.
    ///
    /// - Returns: Whether there was such a caller.
    @discardableResult
    private mutating func answerMet(_ moment: Moment) -> Bool {
        let callers = waiting
        waiting = []
        for caller in callers {
            if let tokens = tokens(for: caller.target, meeting: caller.need, at: moment.reading) {
                actions.append(.answer(caller.id, .success(tokens)))
            } else {
                waiting.append(caller)
            }
        }
        return waiting.count < callers.count
    }

    /// Answers the callers that wait for a target, or all callers.
    private mutating func answer(_ result: Result<TokenSet, SignInError>, for target: AccessTokenTarget? = nil) {
        let answered = waiting.filter { target == nil || $0.target == target }
        waiting.removeAll { target == nil || $0.target == target }
        for caller in answered {
            guard case .failure(let error) = result else {
                actions.append(.answer(caller.id, result))
                continue
            }
            let result = self.result(of: error, for: caller)
            if case .success = result { actions.append(.failed(error)) }
            actions.append(.answer(caller.id, result))
        }
    }

    // MARK: A pause after a failure of the server

    /// Returns the error for a caller when no request may be sent now; `nil` when one may.
    private func refusal(of caller: Caller, _ moment: Moment) -> SignInError? {
        guard case .lasting = caller.need, isSaved else { return nil }
        return holdOff.refusal(at: moment.uptime)
    }

    /// Whether the store may be read for a caller during a back-off.
    ///
    /// Another process may have refreshed the tokens meanwhile. Callers that come many times a second share one read.
    private func mayReread(at uptime: Double) -> Bool {
        guard let refresh else { return lastReread.map { uptime - $0 >= Self.rereadInterval } ?? true }
        return refresh.phase.isRereading
    }

    /// Reads the store without the lock: nothing will be sent.
    private mutating func reread(_ moment: Moment) {
        lastReread = moment.uptime
        refresh = Refresh(phase: .rereading)
        actions.append(.read)
    }

    /// Takes over a session that another process has stored, and rejects the callers whose need it does not meet.
    ///
    /// A failure of reading changes nothing.
    private mutating func afterRereading(_ found: Result<Record?, SignInError>, _ moment: Moment) {
        if case .success(let found) = found {
            if endsIfGone(found) { return }
            if let found { notice(found, moment) }
        }
        refuse(moment)
        endRefresh()
    }

    /// Rejects every caller for whom no request may be sent now.
    private mutating func refuse(_ moment: Moment) {
        let callers = waiting
        waiting = []
        for caller in callers {
            if let refusal = refusal(of: caller, moment) {
                actions.append(.answer(caller.id, result(of: refusal, for: caller)))
            } else {
                waiting.append(caller)
            }
        }
    }

    /// Returns the result for a caller whose refresh failed: the error, or the token that was to be refreshed early and
    /// is still valid.
    ///
    /// A caller that required a validity gets the error, and so does every caller when the failure is permanent. A
    /// store that cannot be written counts as temporary: the session in it is safe.
    private func result(of error: SignInError, for caller: Caller) -> Result<TokenSet, SignInError> {
        guard case .lasting(.usually) = caller.need, error.recovery == .retry || error.isOfUnusableStore, let reading,
            let tokens = tokens(
                for: caller.target,
                meeting: .lasting(.usually(Self.shortestValidity)),
                at: reading
            )
        else { return .failure(error) }
        return .success(tokens)
    }

    /// The shortest useful remaining validity of a token, in seconds.
    private static var shortestValidity: Double { 5 }
    /// Seconds between two such reads of the store.
    private static var rereadInterval: Double { 1 }

    // MARK: The steps of one refresh: lock, read, mark, send, store, answer

    /// Begins a refresh.
    private mutating func beginRefresh() {
        refresh = Refresh()
        actions.append(.lock)
    }

    /// Ends the refresh; waiting callers get the next one.
    private mutating func endRefresh() {
        if refresh?.holdsLock == true { actions.append(.unlock) }
        refresh = nil
        if end == nil, !waiting.isEmpty { beginRefresh() }
    }

    /// Ends the refresh with a failure.
    ///
    /// With a `target`, only its callers get the error; `nil` is for all callers.
    private mutating func fail(_ error: SignInError, for target: AccessTokenTarget?) {
        answer(.failure(error), for: target)
        endRefresh()
    }

    private mutating func step(to phase: Refresh.Phase, _ action: Action) {
        refresh?.phase = phase
        actions.append(action)
    }

    /// Continues the refresh with the result of the last step.
    private mutating func continueRefresh(_ event: Event, _ moment: Moment) {
        guard let refresh else {
            if case .locked = event { actions.append(.unlock) }
            return
        }
        if case .rested = event { self.refresh?.isPausing = false }
        if case .locked = event {
            if refresh.lostLock { return lockAgain() }
            self.refresh?.holdsLock = true
        }
        guard end == nil else { return continueAfterEnd(event) }
        if refresh.lostLock, refresh.phase.isBeforeSending {
            self.refresh?.lostLock = false
            return step(to: .locking, .lock)
        }
        switch (refresh.phase, event) {
        case (.locking, .locked): step(to: .reading, .read)
        case (.locking, .lockRefused(let failure)): step(to: .readingUnlocked(failure), .read)
        case (.readingUnlocked(let failure), .read(let found)): takeOver(found, without: failure, moment)
        case (.rereading, .read(let found)): afterRereading(.success(found), moment)
        case (.rereading, .readFailed(let error)): afterRereading(.failure(error), moment)
        case (_, .readFailed(let error)): fail(error, for: nil)
        case (.reading, .read(let found)), (.waitingToRepeat, .read(let found)): decide(with: found, moment)
        case (.storingUnsaved, .swapped(let swap)): afterStoringUnsaved(swap, moment)
        case (.marking(let marked), .swapped(let swap)): afterMarking(marked, swap, moment)
        case (.sending, .answered(let answer)): afterSending(answer, moment)
        case (.waitingToRepeat, .rested): step(to: .reading, .read)
        case (.storingCandidate(let kept), .swapped(let swap)): afterStoringCandidate(kept, swap)
        case (.checking, .checked(let answer)): afterChecking(answer, moment)
        case (.storing(let new), .swapped(let swap)): afterStoring(new, swap, moment)
        case (.waitingToStore(let new), .rested):
            if let stored = refresh.stored { attemptToStore(new, over: stored) }
        case (.removingMark(let error, let unmarked), .swapped(let swap)):
            if case .done = swap { adopt(unmarked) }
            fail(error, for: refresh.target)
        case (.rejecting(let error, let successor, let next), .swapped(let swap)):
            afterRejecting(error, keeping: successor, next, swap, moment)
        case (.removing(let error, let reason), .swapped(let swap)): afterRemoving(error, reason, swap, moment)
        default: break
        }
    }

    /// Releases the lock before the system suspends the process; a sent request is settled when the process continues.
    private mutating func releaseLock() {
        guard let refresh else { return }
        if refresh.holdsLock { actions.append(.unlock) }
        self.refresh?.holdsLock = false
        self.refresh?.lostLock = refresh.lostLock || refresh.holdsLock || refresh.phase.isLocking
    }

    /// The time in which the lock may be held was up before it came.
    private mutating func lockAgain() {
        actions.append(.unlock)
        refresh?.lostLock = false
        if end == nil { step(to: .locking, .lock) } else { endRefresh() }
    }

    // MARK: The stored value

    /// Decides, with the lock and the stored value in hand: takes over, catches up, or marks and sends.
    private mutating func decide(with found: Record?, _ moment: Moment) {
        if endsIfGone(found) { return }
        guard let found else { return }
        if let refusal = refresh?.refusal {
            refresh?.refusal = nil
            // The refresh token of another process's mark may have been used, with a response that was lost with that
            // process.
            if found.revision != refresh?.stored?.revision { refresh?.isUncertain = true }
            refresh?.stored = found
            if holdsPresentedToken(found) { return remove(found, for: refusal, moment) }
        }
        refresh?.stored = found
        if found.revision < record.revision || holdsSuccessor(of: found) {
            // An earlier refresh could not store its tokens, or a restored copy put an old value back. Any later mark
            // by another process is no newer than those tokens.
            isSaved = false
            if found.revision >= record.revision {
                record.revision = found.revision + 1
                // That process may have presented the token a second time, and the server may have ended the session
                // for it.
                if found.journal.mark != nil { record.journal.mark = .init(since: moment.now) }
            }
            return step(to: .storingUnsaved, .swap(found, record))
        }
        takeOver(found)
        answerMet(moment)
        refuse(moment)
        guard let target = waiting.first?.target else { return endRefresh() }
        refresh?.target = target
        guard let token = found.newestRefreshToken else { return fail(.notRenewable(found.tokens), for: target) }
        refresh?.presented = token
        // An older mark is written anew: a process that cannot store anything must not send anything.
        let mark = found.journal.mark ?? RotationJournal.Mark(since: moment.now)
        refresh?.isUncertain = found.journal.mark != nil
        let marked = found.followed(journal: RotationJournal(candidate: found.journal.candidate, mark: mark))
        step(to: .marking(marked), .swap(found, marked))
    }

    /// Without the lock nothing is sent, but tokens that another process has refreshed are taken over.
    private mutating func takeOver(_ found: Record?, without failure: StorageFailure, _ moment: Moment) {
        if endsIfGone(found) { return }
        if let found { notice(found, moment) }
        fail(SignInError(.storage, .storage(failure)), for: nil)
    }

    private mutating func afterStoringUnsaved(_ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done:
            isSaved = true
            if answerMet(moment) { actions.append(.recovered) }
            if waiting.isEmpty { return endRefresh() }
            decide(with: record, moment)
        case .found(let other): beginAgain(with: other, moment)
        case .failed(let failure): fail(SignInError(.storage, .storage(failure)), for: nil)
        }
    }

    private mutating func afterMarking(_ marked: Record, _ swap: Swap, _ moment: Moment) {
        guard let target = refresh?.target, let token = refresh?.presented else { return endRefresh() }
        switch swap {
        case .done:
            adopt(marked)
            refresh?.stored = marked
            step(to: .sending, .send(marked, token, target))
        case .found(let other): beginAgain(with: other, moment)
        // Without the mark nothing is sent: after a crash the use of the token would be unknown.
        case .failed(let failure): fail(SignInError(.storage, .storage(failure)), for: nil)
        }
    }

    /// Handles a stored value that has changed since this refresh read it, despite the lock.
    private mutating func beginAgain(with other: Record?, _ moment: Moment) {
        refresh?.conflicts += 1
        guard let count = refresh?.conflicts, count < 4 else {
            return fail(SignInError(.storage, .storage(.locked)), for: nil)
        }
        if endsIfGone(other) { return }
        if refresh?.holdsLock == true { return decide(with: other, moment) }
        if let other, !holdsSuccessor(of: other) { takeOver(other) }
        refresh?.lostLock = false
        step(to: .locking, .lock)
    }

    // MARK: The server's response

    private mutating func afterSending(_ answer: Answer, _ moment: Moment) {
        guard let stored = refresh?.stored else { return endRefresh() }
        switch answer {
        case .tokens(let tokens): store(tokens, over: stored)
        case .unchecked(.new(let token)):
            let kept = stored.followed(journal: RotationJournal(candidate: token))
            step(to: .storingCandidate(kept), .swap(stored, kept))
        case .unchecked: step(to: .checking, .check)
        case .rejected(let error, let successor): reject(for: error, keeping: successor, over: stored, moment)
        case .failed(let error):
            switch RefreshOutcome(error) {
            case .refused: remove(stored, for: error, moment)
            case .unused:
                holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
                guard refresh?.isUncertain == false else { return fail(error, for: refresh?.target) }
                let unmarked = stored.followed(journal: RotationJournal(candidate: stored.journal.candidate))
                step(to: .removingMark(error, unmarked), .swap(stored, unmarked))
            case .unknown: repeatRequest(after: error, moment)
            }
        }
    }

    /// Tries the same refresh token again, as long as a server may be expected to take it for a repetition.
    private mutating func repeatRequest(after error: SignInError, _ moment: Moment) {
        refresh?.isUncertain = true
        let since = refresh?.stored?.journal.mark?.since ?? moment.now
        let age = moment.now.timeIntervalSince(since)
        let pause = (refresh?.retries == 0 ? 0.2 : 0.8) * (1 + moment.jitter)
        // A response that was too large would be too large again.
        guard case .transport(let failure) = error.reason, failure != .tooLarge, let retries = refresh?.retries,
            retries < replay.retries,
            (0...replay.window).contains(age + pause), refresh?.lostLock == false
        else {
            holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
            return fail(error, for: refresh?.target)
        }
        refresh?.retries += 1
        step(to: .waitingToRepeat, .rest(pause))
    }

    private mutating func afterStoringCandidate(_ kept: Record, _ swap: Swap) {
        switch swap {
        case .done:
            adopt(kept)
            refresh?.stored = kept
        case .failed:
            // The next refresh stores it, in case this one does not receive tokens.
            keepUnsaved(kept)
        case .found(let other?) where holdsPresentedToken(other):
            // Another process marked it while this one was suspended: this is the result of its request.
            refresh?.conflicts += 1
            refresh?.stored = other
            let again = other.followed(journal: RotationJournal(candidate: kept.journal.candidate))
            return step(to: .storingCandidate(again), .swap(other, again))
        case .found: break
        }
        step(to: .checking, .check)
    }

    private mutating func afterChecking(_ answer: Answer, _ moment: Moment) {
        guard let stored = refresh?.stored else { return endRefresh() }
        switch answer {
        case .tokens(let tokens): store(tokens, over: stored)
        case .rejected(let error, let successor): reject(for: error, keeping: successor, over: stored, moment)
        // It waits beside the tokens for the keys.
        case .unchecked: endRefresh()
        case .failed(let error):
            holdOff.note(error, at: moment.uptime, jitter: moment.jitter)
            fail(error, for: refresh?.target)
        }
    }

    /// Rejects a response that failed a check, and keeps the refresh token that it leaves.
    ///
    /// The server accepts no older refresh token, and the next response passes every check again. Nothing is kept of a
    /// response about another session: presenting its refresh token would end that session. The old refresh token may
    /// then be invalid.
    private mutating func reject(
        for error: SignInError,
        keeping successor: RefreshSuccessor,
        over stored: Record,
        _ moment: Moment
    ) {
        holdOff.noteRejection(error, at: moment.uptime, jitter: moment.jitter)
        let presented = refresh?.presented == stored.tokens.refreshToken ? nil : refresh?.presented
        let journal: RotationJournal =
            switch successor {
            case .new(let token): RotationJournal(candidate: token)
            case .unchanged: RotationJournal(candidate: presented)
            case .foreign:
                RotationJournal(candidate: presented, mark: stored.journal.mark ?? .init(since: moment.now))
            }
        if journal == stored.journal { return fail(error, for: refresh?.target) }
        let next = stored.followed(journal: journal)
        step(to: .rejecting(error, successor, next), .swap(stored, next))
    }

    private mutating func afterRejecting(
        _ error: SignInError,
        keeping successor: RefreshSuccessor,
        _ next: Record,
        _ swap: Swap,
        _ moment: Moment
    ) {
        switch (swap, successor) {
        case (.done, _): adopt(next)
        // The next refresh stores it first.
        case (.failed, _): keepUnsaved(next)
        case (.found(let other?), .new) where holdsPresentedToken(other):
            // Another process marked it while this one was suspended: this is the result of its request.
            refresh?.conflicts += 1
            refresh?.stored = other
            return reject(for: error, keeping: successor, over: other, moment)
        case (.found, _): break
        }
        fail(error, for: refresh?.target)
    }

    /// Whether a stored value has no other refresh token than the one that this refresh has presented.
    private func holdsPresentedToken(_ other: Record) -> Bool {
        other.id == record.id && other.newestRefreshToken == refresh?.presented && refresh?.conflicts ?? 0 < 4
    }

    // MARK: New tokens: stored first, then handed out

    private mutating func store(_ tokens: TokenSet, over stored: Record) {
        holdOff.reset()
        let new = stored.followed(by: tokens)
        keepUnsaved(new)
        attemptToStore(new, over: stored)
    }

    private mutating func attemptToStore(_ new: Record, over stored: Record) {
        step(to: .storing(new), .swap(stored, new))
    }

    /// Stores waiting tokens earlier, because of a new caller.
    private mutating func storeSooner() {
        guard let refresh, case .waitingToStore(let new) = refresh.phase, let stored = refresh.stored else { return }
        attemptToStore(new, over: stored)
    }

    private mutating func afterStoring(_ new: Record, _ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done:
            adopt(new)
            actions.append(.refreshed)
            answerMet(moment)
            // The server issues no token with the requested validity, so a shorter one is returned.
            if let target = refresh?.target { answer(.success(new.tokens), for: target) }
            endRefresh()
        case .found(let other): reconcile(new, with: other, moment)
        case .failed(let failure): waitToStore(new, after: failure, moment)
        }
    }

    /// Handles a stored value that has changed since the refresh marked it.
    private mutating func reconcile(_ new: Record, with other: Record?, _ moment: Moment) {
        if endsIfGone(other) { return }
        guard let other else { return }
        if other.newestRefreshToken == refresh?.presented, refresh?.conflicts ?? 0 < 4 {
            // Another process has marked it while this one was suspended, and has no successor yet: this is it.
            refresh?.conflicts += 1
            refresh?.stored = other
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
        let since = refresh?.unstoredSince ?? moment.uptime
        refresh?.unstoredSince = since
        guard let refresh, moment.uptime - since < Self.longestStoring, !refresh.lostLock else {
            return fail(SignInError(.storage, .storage(failure)), for: refresh?.target)
        }
        let error = SignInError(.storage, .storage(failure))
        if refresh.pauses == 0 { actions.append(.failed(error)) }
        if moment.uptime - since >= Self.longestWaiting { answer(.failure(error), for: refresh.target) }
        self.refresh?.phase = .waitingToStore(new)
        if refresh.isPausing { return }
        self.refresh?.isPausing = true
        self.refresh?.pauses += 1
        let pause = min(5, 0.1 * Double(1 << min(refresh.pauses, 10))) * (1 + moment.jitter)
        // The last attempt is made when the time is up, and not after it.
        actions.append(.rest(min(pause, since + Self.longestStoring - moment.uptime)))
    }

    // MARK: The end of the session

    /// Ends the session in this process.
    private mutating func endSession(as reason: Session.End, telling error: SignInError = .sessionOver) {
        guard end == nil else { return }
        end = reason
        actions.append(.ended(reason))
        // Callers of a refresh in progress are answered after its tokens have been revoked: a process that ends with
        // the answer must not leave valid tokens behind.
        if refresh?.phase.mayBringTokens == true { return }
        answer(.failure(error))
    }

    /// Ends the session that a sign-in has replaced.
    private mutating func endSession(replacedBy other: Record) {
        protectGrant(of: other)
        endSession(as: .replaced)
    }

    /// Keeps late tokens from being revoked when the session that replaced this one may be of the same user.
    ///
    /// A server may end every grant of that user to the client with them (RFC 7009 section 2.1).
    private mutating func protectGrant(of other: Record) {
        if !other.tokens.isOfAnotherUser(than: record.tokens) { mayRevoke = false }
    }

    /// Ends the session when the stored value was removed, or replaced by another sign-in.
    ///
    /// - Returns: Whether the session has ended.
    private mutating func endsIfGone(_ found: Record?) -> Bool {
        if let found, found.id == record.id { return false }
        if let found { protectGrant(of: found) }
        // Before the end is reported, so that waiting callers are answered after the revocation.
        let isRevoking = !isSaved && mayRevoke
        if isRevoking { revoke(record.tokens) }
        endSession(as: found != nil ? .replaced : isSigningOut ? .userAction : .removedElsewhere)
        if !isRevoking {
            answer(.failure(.sessionOver))
            endRefresh()
        }
        return true
    }

    /// Ends the session because the server rejected the refresh token, unless another one is stored by now.
    ///
    /// The value is removed only under the lock. Another process that has taken the lock meanwhile may rely on its own
    /// mark of the same token, and would find nothing to store its new tokens over.
    private mutating func remove(_ stored: Record, for error: SignInError, _ moment: Moment) {
        if refresh?.lostLock == true {
            refresh?.refusal = error
            refresh?.lostLock = false
            return step(to: .locking, .lock)
        }
        let isOld = stored.tokens.refreshTokenExpiry.map { $0 <= moment.now } ?? false
        let reason: Session.End = refresh?.isUncertain == true ? .lostRotation : isOld ? .expired : .revoked
        step(to: .removing(error, reason), .swap(stored, nil))
    }

    private mutating func afterRemoving(_ error: SignInError, _ reason: Session.End, _ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done, .found(nil): endSession(as: reason, telling: error)
        case .found(let other?) where other.id == record.id:
            guard holdsPresentedToken(other) else { return beginAgain(with: other, moment) }
            refresh?.conflicts += 1
            return remove(other, for: error, moment)
        case .found(let other?): endSession(replacedBy: other)
        case .failed(let failure): endSession(as: reason, telling: SignInError(.storage, .storage(failure)))
        }
        endRefresh()
    }

    /// Handles the rest of a refresh after the session has ended: its tokens must not be kept.
    private mutating func continueAfterEnd(_ event: Event) {
        switch event {
        case .answered(.tokens(let tokens)), .checked(.tokens(let tokens)): return revoke(tokens)
        case .answered(.unchecked): return step(to: .checking, .check)
        case .swapped:
            switch refresh?.phase {
            case .storing(let new): return revoke(new.tokens)
            case .storingCandidate: return step(to: .checking, .check)
            default: break
            }
        case .rested:
            switch refresh?.phase {
            case .waitingToStore(let new): return revoke(new.tokens)
            case .waitingToRepeat: break
            // The purpose of the step has been fulfilled earlier.
            default: return
            }
        default: break
        }
        answer(.failure(.sessionOver))
        endRefresh()
    }

    private mutating func revoke(_ tokens: TokenSet) {
        guard mayRevoke else {
            answer(.failure(.sessionOver))
            return endRefresh()
        }
        step(to: .revoking, .revoke(tokens))
    }
}

extension SignInError {
    /// The error for every caller of a session that has ended.
    static let sessionOver = SignInError(.refresh, .signInRequired)

    /// Whether the store could not be used, though nothing in it is damaged.
    fileprivate var isOfUnusableStore: Bool { reason == .storage(.unavailable) }
}

extension TokenSet {
    /// Whether both are known to be of a user, and not of the same one.
    package func isOfAnotherUser(than other: TokenSet) -> Bool {
        guard let subject = identity?.subject, let former = other.identity?.subject else { return false }
        return !subject.utf8.elementsEqual(former.utf8)
    }
}
