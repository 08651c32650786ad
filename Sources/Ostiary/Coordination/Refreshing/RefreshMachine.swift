package import OstiaryOAuth

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
///
/// The files of the decisions: callers and their answers in `+Callers`; the order of steps of one refresh in `+Steps`;
/// the stored value in `+Reading`; the server's response in `+Answers`; the back-off in `+HoldOff`; new tokens in
/// `+Storing`; the end of the session in `+Ending`.
package struct RefreshMachine<Tokens: RefreshableTokens>: Sendable {
    package typealias Record = SessionRecord<Tokens>
    package typealias RefreshToken = Tokens.RefreshToken

    /// The newest value that this process knows.
    package internal(set) var record: Record
    /// Whether that value is stored.
    package internal(set) var isSaved: Bool
    /// The reason the session ended; `nil` while it is active.
    package internal(set) var end: Session.End?

    let replay: Replay
    /// The refresh token that the newest value took the place of, while that value is not stored.
    var replaced: RefreshToken?
    /// The waiting callers.
    var waiting: [Question] = []
    /// The refresh in progress.
    var flight: Flight?
    /// Whether tokens that arrive after the end may be revoked: that could end the session which replaced this one.
    var mayRevoke = true
    /// Whether the user is signing out: this process is about to remove the stored value.
    var isLeaving = false
    var holdOff = RefreshHoldOff()
    /// The last read of the store for callers during a back-off, by the uptime.
    var lastLook: Double?
    /// The time of the event that is being taken in.
    var reading: ClockReading?
    /// The actions of the current event so far.
    var actions: [Action] = []

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
        case .asked(let question): ask(question, moment)
        case .cancelled(let id): dismiss(id)
        case .noticed(let found): notice(found, moment)
        case .leaving: isLeaving = true
        case .stayed: isLeaving = false
        case .left(let reason): finish(as: reason)
        case .replaced(let other): finish(replacedBy: other)
        case .suspending: giveLockBack()
        default: continueFlight(event, moment)
        }
        defer { actions = [] }
        return actions
    }

    /// Returns the stored tokens, if they meet a need; unstored tokens are never returned.
    package func tokens(for target: Tokens.Target, meeting need: Need, at reading: ClockReading) -> Tokens? {
        meets(need, of: target, at: reading) ? record.tokens : nil
    }

    /// Whether the stored tokens meet a need; unstored tokens meet none.
    package func meets(_ need: Need, of target: Tokens.Target, at reading: ClockReading) -> Bool {
        end == nil && isSaved && isMet(need, of: target, at: reading)
    }

    private func isMet(_ need: Need, of target: Tokens.Target, at reading: ClockReading) -> Bool {
        switch need {
        // A token that cannot be refreshed is used until it expires.
        case .lasting(.usually) where record.newestRefreshToken == nil:
            return record.tokens.isFresh(for: target, at: reading, lasting: .atLeast(0))
        case .lasting(let validity): return record.tokens.isFresh(for: target, at: reading, lasting: validity)
        case .other(let known):
            guard let token = record.tokens.accessToken(for: target) else { return false }
            return token != known
        }
    }

    /// Takes a stored value over.
    mutating func adopt(_ found: Record) {
        record = found
        isSaved = true
    }

    /// Takes a value in that could not be stored, to store it before anything else is done.
    mutating func keepUnsaved(_ new: Record) {
        record = new
        isSaved = false
        replaced = flight?.shown
    }

    /// Whether a stored value still has the refresh token that a value of this process took the place of, which could
    /// not be stored: however often the older one was written since, this process has its successor.
    func holdsSuccessor(of found: Record) -> Bool {
        guard !isSaved, let replaced else { return false }
        return found.id == record.id && found.newestRefreshToken == replaced && record.newestRefreshToken != replaced
    }
}
