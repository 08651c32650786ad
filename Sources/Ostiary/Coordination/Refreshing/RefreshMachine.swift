package import OstiaryOAuth

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
/// - The refresh token of every answer is kept, unless the answer is about another session; tokens are handed out only when
///   every check holds. A process that holds a successor presents no predecessor.
/// - Nothing is removed but by the person, or by the server's word about the newest refresh token.
///
/// Where what is decided: callers and their answers in `+Callers`; the order of steps of one refresh in `+Steps`; what to
/// do with the stored value in `+Reading`, with the server's answer in `+Answers`, with a server that is to be left alone in
/// `+HoldOff`, with new tokens in `+Storing`, and when the session is over in `+Ending`.
package struct RefreshMachine<Tokens: RefreshableTokens>: Sendable {
    package typealias Record = SessionRecord<Tokens>
    package typealias RefreshToken = Tokens.RefreshToken

    /// The newest value that this process knows.
    package internal(set) var record: Record
    /// Whether that value is stored.
    package internal(set) var isSaved: Bool
    /// Why the session has ended; `nil` as long as it has not.
    package internal(set) var end: SessionEnd?

    let replay: Replay
    /// The refresh token that the newest value took the place of, while that value is not stored.
    var replaced: RefreshToken?
    /// The callers that nobody has answered yet.
    var waiting: [Question] = []
    /// The refresh under way.
    var flight: Flight?
    /// Whether tokens that arrive after the end may be revoked: that could end the session which replaced this one.
    var mayRevoke = true
    /// Whether the person is signing out: what is stored is about to be removed by this process.
    var isLeaving = false
    var holdOff = RefreshHoldOff()
    /// When the store was last looked at for callers who are held off, by the uptime.
    var lastLook: Double?
    /// The time of the event that is being taken in.
    var reading: ClockReading?
    /// What the event that is being taken in has led to so far.
    var actions: [Action] = []

    /// Begins with a value that is stored.
    package init(_ record: Record, replay: Replay) {
        self.record = record
        self.replay = replay
        isSaved = true
    }

    /// Takes an event in.
    ///
    /// - Returns: What to do, in this order.
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

    /// The stored tokens, when they meet a need; what is not stored yet is handed out to nobody.
    package func tokens(for target: Tokens.Target, meeting need: Need, at reading: ClockReading) -> Tokens? {
        guard end == nil, isSaved, isMet(need, of: target, at: reading) else { return nil }
        return record.tokens
    }

    private func isMet(_ need: Need, of target: Tokens.Target, at reading: ClockReading) -> Bool {
        switch need {
        // What cannot be renewed is good until its end.
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

    /// Whether a stored value still has the refresh token that a value of this process took the place of, which could not be
    /// stored: however often the older one was written since, this process has its successor.
    func holdsSuccessor(of found: Record) -> Bool {
        guard !isSaved, let replaced else { return false }
        return found.id == record.id && found.newestRefreshToken == replaced && record.newestRefreshToken != replaced
    }
}
