import Foundation
import OstiaryOAuth

@testable import Ostiary

/// Some processes with one session, a store, a lock, a provider and a network, all under one scheduler that a seed
/// drives.
///
/// Each process runs the ``RefreshMachine`` of the product. Nothing takes real time, and the same seed gives the same
/// run.
struct Simulation {
    typealias Machine = RefreshMachine
    typealias Record = StoredSession

    struct Process {
        var incarnation = 0
        var machine: Machine?
        var isFrozen = false
        var deferred: [Occurrence] = []
        var skew = 0.0
        /// Callers that wait, by their number, and when they asked.
        var callers: [Int: Double] = [:]
        /// An answer that waits for keys.
        var unchecked: TokenSet?
    }

    /// Something that will happen.
    struct Occurrence {
        enum Kind {
            case deliver(Machine.Event)
            case read
            case swap(Record, Record?)
            case arrive(Record, Int, AccessTokenTarget)
            case remove(String)
            case lockTimeout(Int)
            case ask, crash, start, signOut, signIn, suspend, resume, cancel, restore
            case revokeAtProvider(Int)
        }

        var kind: Kind
        var process: Int
        var incarnation: Int
    }

    private struct Entry {
        var time: Double
        var order: UInt64
        var occurrence: Occurrence
    }

    /// The target of the access tokens that are not the sign-in's own.
    private static let other = AccessTokenTarget(try? ResourceIndicator("https://api.example"))

    let seed: UInt64
    let mistake: SimulatedMistake
    /// Told of every step; for a look at one seed.
    var tracing: ((String) -> Void)?
    var random: SeededRandom
    var faults: SimulatedFaults
    var time = 0.0
    private var queue: [Entry] = []
    var processes: [Process]
    var provider: SimulatedProvider
    var store: Record?
    /// The process that has the lock.
    var owner: (process: Int, incarnation: Int)?
    var waiting: [(process: Int, incarnation: Int, ticket: Int)] = []
    var ledger = SimulationLedger()
    var isOver = false
    private var tickets = 0
    private var questions = 0
    private var sessions = 0

    init(
        seed: UInt64,
        mistake: SimulatedMistake = .none,
        faults: SimulatedFaults? = nil,
        grace: Double? = nil,
        provider given: SimulatedProvider? = nil
    ) {
        self.seed = seed
        self.mistake = mistake
        var random = SeededRandom(seed: seed)
        let faults = faults ?? .mixed(&random)
        self.faults = faults
        provider =
            given
            ?? SimulatedProvider(
                grace: grace ?? (random.happens(0.5) ? 0 : 10),
                endsFamilies: grace != nil || random.happens(0.7)
            )
        ledger.takesRepetitions = provider.takesRepetitions
        processes = (0..<(2 + random.below(3))).map { _ in
            var process = Process()
            if faults.clockError > 0 { process.skew = [0, faults.clockError, -faults.clockError][random.below(3)] }
            return process
        }
        self.random = random
    }

    /// Runs to the end.
    ///
    /// - Returns: The violations of the rules; empty when there are none.
    mutating func run() -> [String] {
        store = newSession()
        for index in processes.indices {
            schedule(.start, process: index, after: random.fraction())
            for _ in 0..<(2 + random.below(8)) {
                schedule(.ask, process: index, after: 1 + random.fraction() * 40, lasting: true)
            }
        }
        drain(until: 60)
        // The world is kind from here on: every process comes back, and every waiting caller has to be answered.
        faults = .none
        isOver = true
        for index in processes.indices {
            if processes[index].isFrozen { perform(Occurrence(kind: .resume, process: index, incarnation: 0)) }
            if processes[index].machine == nil { start(index) }
            schedule(.ask, process: index, after: 70, lasting: true)
        }
        drain(until: .infinity)
        for index in processes.indices where !processes[index].callers.isEmpty {
            ledger.note("process \(index) has callers who wait for ever")
        }
        return ledger.violations
    }

    private mutating func drain(until end: Double) {
        var steps = 0
        while let next = queue.first, next.time <= end {
            steps += 1
            if steps > 20_000 { return ledger.note("it never comes to rest") }
            pop()
            time = next.time
            perform(next.occurrence)
        }
        if end.isFinite { time = end }
    }

    // MARK: The schedule, a heap

    mutating func schedule(_ kind: Occurrence.Kind, process: Int, after delay: Double, lasting: Bool = false) {
        let incarnation = lasting ? 0 : processes[process].incarnation
        let occurrence = Occurrence(kind: kind, process: process, incarnation: incarnation)
        queue.append(Entry(time: time + delay, order: random.next(), occurrence: occurrence))
        var child = queue.count - 1
        while child > 0, precedes(queue[child], queue[(child - 1) / 2]) {
            queue.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func pop() {
        queue.swapAt(0, queue.count - 1)
        queue.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < queue.count {
                if precedes(queue[child], queue[least]) { least = child }
            }
            if least == parent { return }
            queue.swapAt(parent, least)
            parent = least
        }
    }

    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        one.time == other.time ? one.order < other.order : one.time < other.time
    }

    // MARK: What happens

    mutating func perform(_ occurrence: Occurrence) {
        let index = occurrence.process
        // What belongs to a process that died happens no more; what the network carries does.
        if occurrence.incarnation != 0, occurrence.incarnation != processes[index].incarnation {
            guard case .arrive(let record, let token, let target) = occurrence.kind else { return }
            return arrive(record, token, target, from: index, incarnation: occurrence.incarnation)
        }
        if processes[index].isFrozen {
            switch occurrence.kind {
            case .resume, .arrive, .revokeAtProvider: break
            default: return processes[index].deferred.append(occurrence)
            }
        }
        trace(occurrence)
        switch occurrence.kind {
        case .deliver(let event):
            if faults.crash > 0, random.happens(faults.crash) { return crash(index) }
            if faults.suspension > 0, random.happens(faults.suspension) { suspend(index) }
            if processes[index].isFrozen { return processes[index].deferred.append(occurrence) }
            handle(event, by: index)
        case .read: read(index)
        case .swap(let expected, let new): swap(expected, new, by: index)
        case .arrive(let record, let token, let target):
            arrive(record, token, target, from: index, incarnation: occurrence.incarnation)
        case .remove(let id): remove(id, by: index)
        case .lockTimeout(let ticket):
            guard let place = waiting.firstIndex(where: { $0.ticket == ticket }) else { break }
            waiting.remove(at: place)
            schedule(.deliver(.lockRefused(.locked)), process: index, after: 0)
        case .ask: ask(index)
        case .crash: crash(index)
        case .start: start(index)
        case .signOut: signOut(index)
        case .signIn: signIn(index)
        case .suspend: suspend(index)
        case .resume:
            processes[index].isFrozen = false
            let deferred = processes[index].deferred
            processes[index].deferred = []
            for occurrence in deferred { perform(occurrence) }
        case .cancel:
            if let id = processes[index].callers.keys.min() { handle(.cancelled(id), by: index) }
        case .restore:
            if let store { notice(store, by: index) }
        case .revokeAtProvider(let token): provider.revoke(token)
        }
    }

    private func trace(_ occurrence: Occurrence) {
        guard let tracing else { return }
        let text = "\(occurrence.kind)".replacing("OstiaryTests.", with: "").prefix(400)
        tracing("\(time) process \(occurrence.process)\(owner?.process == occurrence.process ? " *" : "") \(text)")
    }

    private mutating func ask(_ index: Int) {
        if !isOver {
            if random.happens(faults.signOut) { schedule(.signOut, process: index, after: random.fraction()) }
            if random.happens(faults.newSignIn) { schedule(.signIn, process: index, after: random.fraction()) }
            if random.happens(faults.cancellation) { schedule(.cancel, process: index, after: random.fraction()) }
            if random.happens(0.1) { schedule(.restore, process: index, after: random.fraction()) }
            if random.happens(faults.revocation), let token = store?.newestRefreshToken?.number {
                schedule(.revokeAtProvider(token), process: index, after: random.fraction(), lasting: true)
            }
        }
        guard let machine = processes[index].machine else { return }
        questions += 1
        let target = random.happens(0.7) ? AccessTokenTarget.signIn : Self.other
        let need: Machine.Need =
            switch random.below(4) {
            case 0: .lasting(.atLeast(5))
            case 1: .lasting(.usually(9))
            default: .other(than: machine.record.tokens.access(for: target)?.value)
            }
        processes[index].callers[questions] = time
        handle(.asked(.init(id: questions, target: target, need: need)), by: index)
    }

    mutating func handle(_ event: Machine.Event, by index: Int) {
        guard processes[index].machine != nil else { return }
        if let token = Self.successor(in: event) { ledger.given(token, to: index, processes[index].incarnation) }
        let moment = Machine.Moment(
            ClockReading(
                Date(timeIntervalSince1970: 1_000_000 + time + processes[index].skew),
                isConfirmed: true
            ),
            uptime: time,
            jitter: random.fraction()
        )
        let actions = processes[index].machine?.handle(event, at: moment) ?? []
        for action in actions {
            tracing?("    \("\(action)".replacing("OstiaryTests.", with: "").prefix(400))")
            carryOut(action, by: index)
        }
        // A stored value that is read must not replace tokens that wait to be stored.
        if let machine = processes[index].machine, !machine.isSaved, machine.refresh == nil, machine.end == nil,
            random.happens(0.5)
        {
            schedule(.restore, process: index, after: random.fraction())
        }
    }

    /// The refresh token that an event brings a process.
    private static func successor(in event: Machine.Event) -> Int? {
        switch event {
        case .answered(.tokens(let tokens)), .checked(.tokens(let tokens)): tokens.refreshToken?.number
        case .answered(.unchecked(.new(let token))), .answered(.rejected(_, .new(let token))),
            .checked(.rejected(_, .new(let token))):
            token.number
        default: nil
        }
    }

    private mutating func carryOut(_ action: Machine.Action, by index: Int) {
        switch action {
        case .lock: lock(index)
        case .read: schedule(.read, process: index, after: random.fraction() * 0.01)
        case .swap(let expected, let new):
            schedule(.swap(expected, new), process: index, after: random.fraction() * 0.01)
        case .send(let record, let token, let target): send(record, token.number ?? 0, target, by: index)
        case .check: check(index)
        case .rest(let seconds): schedule(.deliver(.rested), process: index, after: seconds)
        case .revoke(let tokens):
            if let token = tokens.refreshToken?.number {
                schedule(.revokeAtProvider(token), process: index, after: random.fraction() * 0.5, lasting: true)
            }
            schedule(.deliver(.revoked), process: index, after: 0.5)
        case .unlock: if mistake != .noRelease { release(index) }
        case .answer(let id, let result):
            let asked = processes[index].callers.removeValue(forKey: id)
            if asked == nil { ledger.note("caller \(id) is answered twice") }
            switch result {
            case .success(let tokens): ledger.handedOut(tokens, by: index)
            case .failure(let error):
                guard let asked, isOver, asked > 100, processes[index].machine?.end == nil else { break }
                ledger.note("process \(index) gets nothing in a kind world: \(error)")
            }
        case .refreshed, .recovered, .failed: break
        case .ended(let reason): ended(reason, index)
        }
    }

    // MARK: The lock

    private mutating func lock(_ index: Int) {
        if random.happens(faults.lockFails) {
            return schedule(.deliver(.lockRefused(.unavailable)), process: index, after: 0.01)
        }
        if mistake == .noLock { return schedule(.deliver(.locked), process: index, after: 0.001) }
        tickets += 1
        waiting.append((index, processes[index].incarnation, tickets))
        schedule(.lockTimeout(tickets), process: index, after: 40)
        grant()
    }

    private mutating func grant() {
        guard owner == nil else { return }
        waiting.removeAll { $0.incarnation != processes[$0.process].incarnation }
        let able = waiting.indices.filter { !processes[waiting[$0].process].isFrozen }
        guard !able.isEmpty else { return }
        let next = waiting.remove(at: able[random.below(able.count)])
        owner = (next.process, next.incarnation)
        schedule(.deliver(.locked), process: next.process, after: 0.001)
    }

    private mutating func release(_ index: Int) {
        guard let owner, owner.process == index, owner.incarnation == processes[index].incarnation else { return }
        self.owner = nil
        grant()
    }

    // MARK: The store

    private mutating func read(_ index: Int) {
        if random.happens(faults.readFails) {
            return handleLater(.readFailed(SignInError(.storage, .storage(.locked))), by: index)
        }
        if mistake == .noRereading {
            return handleLater(.read(processes[index].machine?.record), by: index)
        }
        handleLater(.read(store), by: index)
    }

    private mutating func swap(_ expected: Record, _ new: Record?, by index: Int) {
        if random.happens(faults.writeFails) {
            if new?.journal.mark == nil, let token = expected.newestRefreshToken?.number {
                // No other process can know what this one knows: the others find the mark.
                ledger.lose(provider.family(of: token))
                ledger.settled(token, by: index, processes[index].incarnation, isKnown: false)
            }
            return handleLater(.swapped(.failed(.unavailable)), by: index)
        }
        let isMark = new?.journal.mark != nil
        var new = new
        if isMark, mistake == .markRenewed { new?.journal.mark?.since = Date(timeIntervalSince1970: time) }
        if isMark && mistake == .noMark || !isMark && new != nil && mistake == .noSaving {
            return handleLater(.swapped(.done), by: index)
        }
        let isUnconditional =
            switch mistake {
            case .noComparison: true
            case .removalWithoutComparison: new == nil
            case .noRereading: isMark
            default: false
            }
        guard isUnconditional || store?.isSame(as: expected) == true else {
            return handleLater(.swapped(.found(store)), by: index)
        }
        if new == nil, let token = store?.newestRefreshToken?.number {
            ledger.removes(token, by: index)
            if let owner, owner.process != index, ledger.isShowing(token, by: owner.process, owner.incarnation) {
                ledger.note("process \(index) removes what process \(owner.process) is refreshing")
            }
        }
        put(new)
        handleLater(.swapped(.done), by: index)
    }

    /// The stored value has been read.
    private mutating func notice(_ found: Record, by index: Int) {
        if mistake == .olderTakenOver, let machine = processes[index].machine, machine.refresh == nil,
            machine.end == nil, found.id == machine.record.id, found.revision < machine.record.revision
        {
            processes[index].machine = Machine(found, replay: .init(window: 30))
        }
        handle(.noticed(found), by: index)
    }

    private mutating func put(_ new: Record?) {
        ledger.stored(new, over: store)
        store = new
    }

    private mutating func remove(_ id: String, by index: Int) {
        if random.happens(faults.writeFails) { return handle(.signOutFailed, by: index) }
        if store?.id == id {
            put(nil)
            ledger.signedOut(id)
        }
        if let token = processes[index].machine?.record.newestRefreshToken?.number {
            schedule(.revokeAtProvider(token), process: index, after: random.fraction(), lasting: true)
        }
        handle(.sessionEnded(.userAction), by: index)
    }

    private mutating func handleLater(_ event: Machine.Event, by index: Int) {
        schedule(.deliver(event), process: index, after: random.fraction() * 0.01)
    }

    // MARK: The network

    private mutating func send(_ record: Record, _ token: Int, _ target: AccessTokenTarget, by index: Int) {
        ledger.presented(token, by: index, processes[index].incarnation)
        if mistake != .noLock, owner?.process != index { ledger.note("process \(index) sends without the lock") }
        if random.happens(faults.requestLost) {
            ledger.settled(token, by: index, processes[index].incarnation, isKnown: false)
            let failure: TransportFailure = random.happens(0.5) ? .unreachable : .interrupted
            let error = SignInError(.refresh, .transport(failure))
            return schedule(.deliver(.answered(.failed(error))), process: index, after: random.fraction() * 3)
        }
        schedule(.arrive(record, token, target), process: index, after: random.fraction() * 0.5)
    }

    private mutating func arrive(
        _ record: Record,
        _ token: Int,
        _ target: AccessTokenTarget,
        from index: Int,
        incarnation: Int
    ) {
        let isAlive = incarnation == processes[index].incarnation
        func error(_ reason: SignInError.Reason) -> Machine.Event {
            .answered(.failed(SignInError(.refresh, reason)))
        }
        func deliver(_ event: Machine.Event, after delay: Double, _ simulation: inout Simulation) {
            if isAlive { simulation.schedule(.deliver(event), process: index, after: delay) }
        }
        let delay = random.fraction() * 0.5
        if random.happens(faults.serverError) {
            ledger.settled(token, by: index, incarnation, isKnown: false)
            return deliver(error(.server(status: 503)), after: delay, &self)
        }
        if random.happens(faults.otherRefusal) {
            ledger.settled(token, by: index, incarnation, isKnown: false)
            return deliver(error(.refused(OAuthError(code: .invalidClient))), after: delay, &self)
        }
        guard let issued = provider.refresh(token, at: time) else {
            ledger.refused(token)
            // To show it once more would change nothing.
            ledger.settled(token, by: index, incarnation, isKnown: false)
            return deliver(error(.refused(OAuthError(code: .invalidGrant))), after: delay, &self)
        }
        ledger.used(token, for: issued.refreshToken)
        if !isAlive { return ledger.lose(provider.family(of: token)) }
        if random.happens(faults.answerLost) {
            ledger.settled(token, by: index, incarnation, isKnown: false)
            ledger.lose(provider.family(of: token))
            if mistake == .lossTakenForRefusal {
                return deliver(error(.refused(OAuthError(code: .invalidGrant))), after: delay, &self)
            }
            return deliver(error(.transport(.interrupted)), after: random.fraction() * 20, &self)
        }
        if random.happens(faults.answerForeign) {
            // Tokens of this session went to another session, or to none.
            ledger.settled(token, by: index, incarnation, isKnown: false)
            ledger.lose(provider.family(of: token))
            let foreign = Machine.Answer.rejected(SignInError(.identity, .mismatch(.subject)), .foreign)
            return deliver(.answered(foreign), after: delay, &self)
        }
        ledger.settled(token, by: index, incarnation, isKnown: true)
        let received = Date(timeIntervalSince1970: 1_000_000 + time + processes[index].skew)
        let tokens = record.tokens.refreshed(
            issued.refreshToken,
            AccessToken(number: issued.access, received: received),
            for: target
        )
        if random.happens(faults.keysMissing) {
            processes[index].unchecked = tokens
            let successor = provider.successor(issued.refreshToken, of: token)
            return deliver(.answered(.unchecked(successor)), after: delay, &self)
        }
        if random.happens(faults.answerUnusable) {
            return deliver(.answered(unusable(provider.successor(issued.refreshToken, of: token))), after: delay, &self)
        }
        deliver(.answered(.tokens(tokens)), after: delay, &self)
    }

    private mutating func check(_ index: Int) {
        guard let tokens = processes[index].unchecked else { return ledger.note("nothing to check") }
        processes[index].unchecked = nil
        func deliver(_ answer: Machine.Answer, _ simulation: inout Simulation) {
            simulation.schedule(.deliver(.checked(answer)), process: index, after: simulation.random.fraction())
        }
        if random.happens(faults.keysUnreachable) {
            return deliver(.failed(SignInError(.keys, .transport(.unreachable))), &self)
        }
        if random.happens(faults.answerUnusable), let token = tokens.refreshToken?.number,
            let presented = processes[index].machine?.record.tokens.refreshToken?.number
        {
            return deliver(unusable(provider.successor(token, of: presented)), &self)
        }
        deliver(.tokens(tokens), &self)
    }

    /// An answer that failed a check: its refresh token is the only one that the server accepts now.
    private func unusable(_ successor: RefreshSuccessor) -> Machine.Answer {
        .rejected(
            SignInError(.identity, .mismatch(.audience)),
            mistake == .unusableAnswerDropped ? .foreign : successor
        )
    }

    // MARK: Processes

    private mutating func newSession() -> Record {
        let issued = provider.signIn()
        sessions += 1
        let access = AccessToken(number: issued.access, received: Date(timeIntervalSince1970: 1_000_000 + time))
        // Each sign-in is of another user, so that late tokens have to be revoked.
        let tokens = TokenSet.issued(to: "user \(sessions)", refreshToken: issued.refreshToken, access: access)
        let record = Record(id: "session \(sessions)", tokens: tokens)
        ledger.stored(record, over: nil)
        return record
    }

    private mutating func start(_ index: Int) {
        guard processes[index].machine == nil else { return }
        processes[index].incarnation += 1
        processes[index].machine = store.map { Machine($0, replay: .init(window: 30)) }
    }

    private mutating func crash(_ index: Int) {
        if let machine = processes[index].machine {
            ledger.died(index, processes[index].incarnation)
            // What the server gave it, and it could not store any more.
            if machine.refresh != nil {
                ledger.lose(provider.family(of: machine.record.tokens.refreshToken?.number ?? 0))
            }
        }
        if let owner, owner.process == index { self.owner = nil }
        processes[index].machine = nil
        processes[index].callers = [:]
        processes[index].unchecked = nil
        processes[index].incarnation += 1
        schedule(.start, process: index, after: random.fraction() * 5, lasting: true)
        grant()
    }

    private mutating func suspend(_ index: Int) {
        if mistake != .lockKeptInSuspension { handle(.suspending, by: index) }
        if let owner, owner.process == index, processes[index].machine?.refresh?.holdsLock == true {
            ledger.note("process \(index) is suspended with the lock")
        }
        // The others cannot know what it is about to learn, and will not wait for it.
        ledger.died(index, processes[index].incarnation)
        if let machine = processes[index].machine, machine.refresh != nil {
            ledger.overlap(provider.family(of: machine.record.newestRefreshToken?.number ?? 0))
        }
        processes[index].isFrozen = true
        schedule(.resume, process: index, after: 1 + random.fraction() * 30, lasting: true)
        grant()
    }

    private mutating func signOut(_ index: Int) {
        guard let machine = processes[index].machine, machine.end == nil else { return }
        handle(.signingOut, by: index)
        schedule(.remove(machine.record.id), process: index, after: random.fraction() * 0.01)
    }

    private mutating func signIn(_ index: Int) {
        guard processes[index].machine != nil else { return }
        let session = newSession()
        put(session)
        handle(.sessionEnded(.replaced), by: index)
        // The callers of the session before were answered, or are as soon as what is on its way is there.
        guard processes[index].machine?.refresh == nil else { return }
        processes[index].machine = Machine(session, replay: .init(window: 30))
    }

    private mutating func ended(_ reason: Session.End, _ index: Int) {
        guard let machine = processes[index].machine else { return }
        let family = provider.family(of: machine.record.newestRefreshToken?.number ?? 0)
        let wasRevoked = family.flatMap { provider.families[$0]?.wasRevoked } ?? false
        let isOver = family.flatMap { provider.families[$0]?.isOver } ?? false
        switch reason {
        // At a server that ends a family for it, a repetition by another process may have ended the tokens that this
        // process gets when it goes on.
        case .revoked where !wasRevoked && !(isOver && ledger.hasOverlapped(family)):
            ledger.note("process \(index) says revoked, and nobody revoked")
        case .lostRotation where !wasRevoked && !ledger.hasLost(family):
            ledger.note("process \(index) says that an answer was lost, and none was")
        case .lostRotation where !wasRevoked && provider.grace == .infinity:
            ledger.note("process \(index) signs out though the server takes repetitions")
        case .removedElsewhere where store?.id == machine.record.id:
            ledger.note("process \(index) says removed, and it is stored")
        case .replaced where store?.id == machine.record.id:
            ledger.note("process \(index) says replaced, and it is not")
        default: break
        }
    }
}
