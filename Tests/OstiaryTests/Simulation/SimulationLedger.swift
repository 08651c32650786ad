import Ostiary
import OstiaryOAuth

/// The events of a simulation, and the violations of the rules among them.
struct SimulationLedger {
    private struct Holder: Hashable {
        var process: Int
        var incarnation: Int
    }

    private struct Showing: Equatable {
        var process: Int
        var incarnation: Int
        /// Whether a process may still be waiting for the answer, or has got it.
        var isKnown = true
    }

    /// Whether a refresh token may be presented any number of times.
    var takesRepetitions = false
    private(set) var violations: [String] = []
    private var showings: [Int: [Showing]] = [:]
    private var signedOutSessions: Set<String> = []
    private var everStored: [TokenSet] = []
    private var predecessors: [Int: Int] = [:]
    /// The refresh tokens whose successors a process has been given.
    private var succeeded: [Holder: Set<Int>] = [:]
    private var losses: Set<Int> = []
    private var refusals: Set<Int> = []
    private var overlaps: Set<Int> = []

    mutating func note(_ violation: String) { violations.append(violation) }

    /// A refresh token leaves: it may have left before only if no process knows the outcome.
    mutating func presented(_ token: Int, by process: Int, _ incarnation: Int) {
        if !takesRepetitions, showings[token]?.contains(where: \.isKnown) == true {
            note("refresh token \(token) is shown again by process \(process)")
        }
        if succeeded[Holder(process: process, incarnation: incarnation)]?.contains(token) == true {
            note("process \(process) presents refresh token \(token), and holds its successor")
        }
        showings[token, default: []].append(Showing(process: process, incarnation: incarnation))
    }

    /// It is known, or is known to be unknown, what came of a request.
    mutating func settled(_ token: Int, by process: Int, _ incarnation: Int, isKnown: Bool) {
        guard !isKnown else { return }
        change(token) { if $0.process == process, $0.incarnation == incarnation { $0.isKnown = false } }
    }

    /// A process died, or was suspended: its knowledge is lost.
    mutating func died(_ process: Int, _ incarnation: Int) {
        for token in showings.keys {
            change(token) { if $0.process == process, $0.incarnation == incarnation { $0.isKnown = false } }
        }
    }

    private mutating func change(_ token: Int, _ change: (inout Showing) -> Void) {
        for place in (showings[token] ?? []).indices { change(&showings[token]![place]) }
    }

    /// The server used a token up for the next one.
    mutating func used(_ token: Int, for next: Int) { if next != token { predecessors[next] = token } }

    /// A process is given a refresh token: as long as it lives it presents none of those before.
    mutating func given(_ token: Int, to process: Int, _ incarnation: Int) {
        guard let predecessor = predecessors[token] else { return }
        succeeded[Holder(process: process, incarnation: incarnation), default: []].insert(predecessor)
    }

    /// A rotation of a family got lost, or may have.
    mutating func lose(_ family: Int?) { if let family { losses.insert(family) } }
    func hasLost(_ family: Int?) -> Bool { family.map(losses.contains) ?? false }

    /// Whether a process has presented a token, and may still learn the outcome.
    func isShowing(_ token: Int, by process: Int, _ incarnation: Int) -> Bool {
        showings[token]?.contains(Showing(process: process, incarnation: incarnation)) ?? false
    }

    /// The server said that a token is not good.
    mutating func refused(_ token: Int) { refusals.insert(token) }

    /// A session is removed because of the server's word, which has to be about the token that is stored.
    mutating func removes(_ token: Int, by process: Int) {
        if !refusals.contains(token) { note("process \(process) removes a session that nobody refused") }
    }

    /// A process was suspended while an answer was on its way.
    mutating func overlap(_ family: Int?) {
        lose(family)
        if let family { overlaps.insert(family) }
    }

    func hasOverlapped(_ family: Int?) -> Bool { family.map(overlaps.contains) ?? false }

    /// Something is stored.
    mutating func stored(_ new: StoredSession?, over old: StoredSession?) {
        guard let new else { return }
        everStored.append(new.tokens)
        if signedOutSessions.contains(new.id) { note("\(new.id) is stored after its sign-out") }
        guard let old, old.id == new.id, let before = old.newestRefreshToken?.number,
            let after = new.newestRefreshToken?.number
        else {
            return
        }
        if after < before { note("refresh token \(after) is stored over \(before)") }
        if after == before, let first = old.journal.mark, let mark = new.journal.mark, mark != first {
            note("the mark of refresh token \(after) is renewed")
        }
    }

    mutating func signedOut(_ id: String) { signedOutSessions.insert(id) }

    /// Tokens are given to a caller.
    mutating func handedOut(_ tokens: TokenSet, by process: Int) {
        if !everStored.contains(tokens) { note("process \(process) hands out what was never stored") }
    }
}
