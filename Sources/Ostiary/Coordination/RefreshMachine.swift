package import OstiaryOAuth

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Every decision about the refreshes of one session in one process: events in, actions out.
///
/// It does nothing and waits for nothing by itself. Whoever drives it carries out the actions in their order and hands back
/// what came of the one that takes time. ``RefreshCoordinator`` does so with the real lock, store and server; the
/// simulation of the tests does so with ones that fail, crash and race by a number.
///
/// What it keeps to:
/// - One request at a time for a refresh token, whichever access token is wanted.
/// - The stored value counts: it is read again under the lock, and what another process renewed is taken over.
/// - A mark is stored before the refresh token leaves; tokens are stored before anybody gets them.
/// - Nothing is removed but by the person, or by the server's word about the newest refresh token.
package struct RefreshMachine<Tokens: RefreshableTokens>: Sendable {
    package typealias Record = SessionRecord<Tokens>

    /// What a caller wants.
    package enum Need: Sendable, Equatable {
        /// A token that is good for some more seconds.
        case lasting(Double)
        /// Another token than the one that the caller has, however good that looks.
        case other(than: Tokens.Access?)
    }

    /// A caller that waits.
    package struct Question: Sendable, Equatable {
        package var id: Int
        package var target: Tokens.Target
        package var need: Need

        package init(id: Int, target: Tokens.Target, need: Need) {
            self.id = id
            self.target = target
            self.need = need
        }
    }

    /// When something happens.
    package struct Moment: Sendable {
        /// The time by the server's clock, as far as it is known.
        package var now: Date
        /// Seconds that only go forward.
        package var uptime: Double
        /// A random number from 0 to 1.
        package var jitter: Double

        package init(now: Date, uptime: Double, jitter: Double) {
            self.now = now
            self.uptime = uptime
            self.jitter = jitter
        }
    }

    /// What came of a conditional write.
    package enum Swap: Sendable, Equatable {
        case done
        /// Something else was stored, which is still there; `nil` for nothing.
        case found(Record?)
        /// The store failed, and holds what it held.
        case failed(StorageFailure)
    }

    /// What came of a request.
    package enum Answer: Sendable, Equatable {
        case tokens(Tokens)
        /// Tokens that cannot be checked before keys are fetched, with the refresh token among them.
        case unchecked(Tokens.RefreshToken?)
        case failed(SignInError)
    }

    /// What happened.
    package enum Event: Sendable {
        case asked(Question)
        /// A caller went away.
        case cancelled(Int)
        case locked
        case lockRefused(StorageFailure)
        case read(Record?)
        case readFailed(SignInError)
        case swapped(Swap)
        case answered(Answer)
        /// What came of the check of an unchecked answer.
        case checked(Result<Tokens, SignInError>)
        case rested
        case revoked
        /// The system will stop this process at once: a lock that is held then would make it end it.
        case suspending
        /// Somebody read the stored value.
        case noticed(Record)
        /// The person signs out, and the stored value is being removed.
        case leaving
        /// It could not be removed.
        case stayed
        /// The session has ended in this process.
        case left(SessionEnd)
    }

    /// What to do.
    package enum Action: Sendable, Equatable {
        // These take time and bring an event; one of them is under way at a time.
        case lock
        case read
        /// Writes the second value, or removes for `nil`, if the first one is stored.
        case swap(Record, Record?)
        /// Buys an access token for a target with a refresh token.
        case send(Record, Tokens.RefreshToken, Tokens.Target)
        case check
        case rest(Double)
        /// Tells the server that nobody will use these.
        case revoke(Tokens)
        // These are done at once.
        case unlock
        case answer(Int, Result<Tokens, SignInError>)
        case refreshed
        case ended(SessionEnd)
    }

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

    /// The newest value that this process knows.
    package internal(set) var record: Record
    /// Whether that value is stored.
    package internal(set) var isSaved: Bool
    /// Why the session has ended; `nil` as long as it has not.
    package internal(set) var end: SessionEnd?

    let replay: Replay
    var waiting: [Question] = []
    var flight: Flight?
    var isLeaving = false
    var holdOff = RefreshHoldOff()
    var actions: [Action] = []

    /// Begins with a value that is stored.
    package init(_ record: Record, replay: Replay) {
        self.record = record
        self.replay = replay
        isSaved = true
    }

    /// A refresh on its way.
    struct Flight: Sendable {
        enum Phase: Sendable {
            case locking
            case reading
            /// Reading without the lock, which could not be had: another process may have renewed what is wanted.
            case looking(StorageFailure)
            /// Storing what an earlier flight could not.
            case saving
            case marking(Record)
            case sending
            /// Writing the refresh token of an unchecked answer down.
            case keeping(Record)
            case checking
            case storing(Record)
            /// Waiting to store once more what could not be stored.
            case pausing(Record)
            /// Taking the mark back after a failure that used nothing up.
            case unmarking(SignInError, Record)
            case resting
            /// Removing what is stored after the server refused it.
            case removing(SignInError, SessionEnd)
            /// Giving back what came when the session had ended.
            case revoking
        }

        var phase: Phase = .locking
        var holdsLock = false
        /// The lock was given back in the middle: nothing may be sent before it is taken again.
        var lostLock = false
        var target: Tokens.Target?
        /// What is stored, as far as this flight knows.
        var base: Record?
        var shown: Tokens.RefreshToken?
        /// Whether the refresh token that is shown may have been used before.
        var isUncertain = false
        var retries = 0
        var storings = 0
        /// How often the stored value turned out to be another one.
        var surprises = 0
    }

    /// Takes an event in.
    ///
    /// - Returns: What to do, in this order.
    package mutating func handle(_ event: Event, at moment: Moment) -> [Action] {
        switch event {
        case .asked(let question): ask(question, moment)
        case .cancelled(let id):
            guard let place = waiting.firstIndex(where: { $0.id == id }) else { break }
            waiting.remove(at: place)
            actions.append(.answer(id, .failure(SignInError(.refresh, .cancelled))))
        case .noticed(let found): notice(found, moment)
        case .leaving: isLeaving = true
        case .stayed: isLeaving = false
        case .left(let reason): finish(as: reason)
        case .suspending: suspend()
        default: continueFlight(event, moment)
        }
        defer { actions = [] }
        return actions
    }

    /// The stored tokens, when they meet a need; what is not stored yet is handed out to nobody.
    package func tokens(for target: Tokens.Target, meeting need: Need, at now: Date) -> Tokens? {
        guard end == nil, isSaved, isMet(need, of: target, at: now) else { return nil }
        return record.tokens
    }

    private func isMet(_ need: Need, of target: Tokens.Target, at now: Date) -> Bool {
        switch need {
        case .lasting(let margin): return record.tokens.isFresh(for: target, at: now, lasting: margin)
        case .other(let known):
            guard let token = record.tokens.accessToken(for: target) else { return false }
            return token != known
        }
    }

    private mutating func ask(_ question: Question, _ moment: Moment) {
        guard end == nil else {
            actions.append(.answer(question.id, .failure(.sessionOver)))
            return
        }
        if let tokens = tokens(for: question.target, meeting: question.need, at: moment.now) {
            actions.append(.answer(question.id, .success(tokens)))
            return
        }
        if case .lasting = question.need, let refusal = holdOff.refusal(at: moment.uptime), isSaved {
            actions.append(.answer(question.id, .failure(refusal)))
            return
        }
        waiting.append(question)
        if flight == nil { start() } else { storeSooner() }
    }

    private mutating func start() {
        flight = Flight()
        actions.append(.lock)
    }

    mutating func notice(_ found: Record, _ moment: Moment) {
        guard end == nil, found.id == record.id, found.revision > record.revision else { return }
        adopt(found)
        answerMet(moment)
    }

    private mutating func suspend() {
        guard let flight else { return }
        if flight.holdsLock { actions.append(.unlock) }
        self.flight?.holdsLock = false
        self.flight?.lostLock = flight.lostLock || flight.holdsLock || flight.phase.isLocking
    }

    /// Takes a stored value over.
    mutating func adopt(_ found: Record) {
        record = found
        isSaved = true
    }

    /// Answers everybody whose need is met.
    mutating func answerMet(_ moment: Moment) {
        let questions = waiting
        waiting = []
        for question in questions {
            if let tokens = tokens(for: question.target, meeting: question.need, at: moment.now) {
                actions.append(.answer(question.id, .success(tokens)))
            } else {
                waiting.append(question)
            }
        }
    }

    /// Answers everybody who wants a token for a target, or everybody.
    mutating func answer(_ result: Result<Tokens, SignInError>, for target: Tokens.Target? = nil) {
        let answered = waiting.filter { target == nil || $0.target == target }
        waiting.removeAll { target == nil || $0.target == target }
        for question in answered { actions.append(.answer(question.id, result)) }
    }

    /// Ends the flight; whoever still waits gets the next one.
    mutating func land() {
        if flight?.holdsLock == true { actions.append(.unlock) }
        flight = nil
        if end == nil, !waiting.isEmpty { start() }
    }

    /// Ends the session in this process.
    mutating func finish(as reason: SessionEnd, telling error: SignInError = .sessionOver) {
        guard end == nil else { return }
        end = reason
        actions.append(.ended(reason))
        // Who waits for what is on its way is answered when that has been revoked: a process that ends with the answer
        // shall not leave good tokens behind.
        if flight?.phase.isInTheAir == true { return }
        answer(.failure(error))
    }
}

extension SignInError {
    /// What everybody is told who asks a session that has ended.
    static let sessionOver = SignInError(.refresh, .signInRequired)
}
