import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

/// One live session of this process, which carries out the decisions of its ``RefreshMachine``.
///
/// A lock guards the machine, so that a valid token is read without waiting. All ``Session`` objects of one stored
/// session share the coordinator.
final class RefreshCoordinator: Sendable {
    private struct State {
        var machine: RefreshMachine
        /// The client that signed in or restored the session last.
        var client: SignInClient
        var callers: [Int: CheckedContinuation<Result<TokenSet, SignInError>, Never>] = [:]
        var questions = 0
        var hold: ProcessLockHold?
        var time: BackgroundTimeHold?
        /// A response whose checks wait for a request: for keys, metadata or user info.
        var unchecked: UncheckedResponse?
        /// Whether this session's refresh is among the client's unsettled work.
        var isUnsettled = false
        /// Whether it rests there.
        var isResting = false
    }

    /// Room in the store for the tokens that are on their way.
    private let room = ReservedRoom()
    let observers = SessionObservers()
    let forcedRefreshes = ForcedRefreshes()
    private let work: UnsettledWork
    private let state: Lock<State>

    init(_ record: StoredSession, of client: SignInClient) {
        work = client.work
        let machine = RefreshMachine(record, replay: .init(window: client.policy.replayWindow.inSeconds))
        state = Lock(State(machine: machine, client: client))
    }

    private var client: SignInClient { state.withLock { $0.client } }

    /// Uses another client of the same stored session from now on.
    func use(_ client: SignInClient) { state.withLock { $0.client = client } }

    deinit {
        let (isUnsettled, isResting) = state.withLock { ($0.isUnsettled, $0.isResting) }
        if isResting { work.goOn() }
        if isUnsettled { work.end() }
    }

    /// The identifier of the stored session.
    var id: String { state.withLock { $0.machine.record.id } }
    /// The tokens as this process knows them.
    var tokens: TokenSet { state.withLock { $0.machine.record.tokens } }
    /// The refresh token to revoke, which may be newer than the one among the tokens.
    var record: StoredSession { state.withLock { $0.machine.record } }
    /// The reason the session ended.
    var end: Session.End? { state.withLock { $0.machine.end } }

    /// The target, or that of the sign-in where the sign-in's own token is for it.
    func resolved(_ target: AccessTokenTarget) -> AccessTokenTarget {
        guard !target.isSignIn else { return target }
        return state.withLock { $0.machine.record.tokens.isOfSignIn(target) } ? .signIn : target
    }

    /// The token for a target, when it need not be renewed and is stored.
    func freshToken(for target: AccessTokenTarget, lasting validity: TokenValidity) throws(SignInError) -> Secret? {
        let (token, hasEnded) = state.withLock { state in
            let now = state.client.context.clock.reading
            // The token alone is copied: this is the path of every request.
            let token = state.machine.accessToken(for: target, meeting: .lasting(validity), at: now)
            return (token, token == nil && state.machine.end != nil)
        }
        if hasEnded { throw .sessionOver }
        return token
    }

    /// Returns tokens that meet a need, from the refresh in progress or from a new one.
    ///
    /// A cancelled caller returns at once; the refresh continues for the others.
    func tokens(for target: AccessTokenTarget, meeting need: RefreshMachine.Need) async throws(SignInError) -> TokenSet
    {
        let id = state.withLock { state in
            state.questions += 1
            return state.questions
        }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.callers[id] = continuation }
                handle(.asked(.init(id: id, target: target, need: need)))
                // The handler may have run before the question was registered.
                if Task.isCancelled { handle(.cancelled(id)) }
            }
        } onCancel: {
            handle(.cancelled(id))
        }.get()
    }

    /// Handles an event, and carries out its actions.
    func handle(_ event: RefreshMachine.Event) {
        let client = client
        let now = client.context.clock.reading
        let uptime = client.device.uptime()
        var random = client.random()
        let moment = RefreshMachine.Moment(now, uptime: uptime, jitter: Double.random(in: 0..<1, using: &random))
        let (steps, change) = state.withLock { state in
            let steps = state.machine.handle(event, at: moment).compactMap { Self.step($0, &state) }
            return (steps, noteWork(&state))
        }
        for step in steps { take(step) }
        switch change {
        case .none: break
        case .settled: work.end()
        case .rests: work.rest()
        }
    }

    /// The change of unsettled work that is noted once the last steps before it are done.
    private enum WorkChange {
        case none, settled, rests
    }

    /// Counts a refresh among the unsettled work as long as its process may not end.
    private func noteWork(_ state: inout State) -> WorkChange {
        let (was, hasRested) = (state.isUnsettled, state.isResting)
        state.isUnsettled = state.machine.isUnsettled
        state.isResting = state.machine.isUnsettledAtRest
        if state.isUnsettled, !was { work.begin() }
        if hasRested, !state.isResting { work.goOn() }
        if was, !state.isUnsettled { return .settled }
        return state.isResting && !hasRested ? .rests : .none
    }

    /// The work that remains after the lock on the machine is released.
    private enum Step {
        case work(RefreshMachine.Action)
        case answer(CheckedContinuation<Result<TokenSet, SignInError>, Never>, Result<TokenSet, SignInError>)
        case release(ProcessLockHold?, BackgroundTimeHold?)
        case tell(Session.State, SignInEvent?)
    }

    /// Removes an action's subject from the state, under the lock.
    ///
    /// The lock of a later refresh is then not released for an earlier one, and no caller is answered twice.
    private static func step(_ action: RefreshMachine.Action, _ state: inout State) -> Step? {
        switch action {
        case .lock, .read, .swap, .send, .check, .rest, .revoke: return .work(action)
        case .unlock:
            defer { (state.hold, state.time) = (nil, nil) }
            return .release(state.hold, state.time)
        case .answer(let id, let result): return state.callers.removeValue(forKey: id).map { .answer($0, result) }
        case .refreshed: return .tell(.active, .refreshed)
        case .recovered: return .tell(.active, nil)
        case .failed(let error):
            // Where no new tokens wait to be stored, nothing has been sent.
            let isWaiting = error.stage == .storage && !state.machine.isSaved
            return .tell(.stale(error), isWaiting ? .storageFailed(error) : nil)
        case .ended(let end): return .tell(.ended(end), .ended(end))
        }
    }

    private func take(_ step: Step) {
        switch step {
        case .work(let action): Task { await handle(carryOut(action)) }
        case .answer(let continuation, let result):
            if case .failure(let error) = result, error.leavesSession { observers.note(.stale(error)) }
            continuation.resume(returning: result)
        case .release(let hold, let time):
            room.set(nil)
            hold?.release()
            time?.release()
        case .tell(let state, let event):
            observers.note(state)
            if let event { client.events(event) }
        }
    }

    /// Carries out an action that takes time.
    private func carryOut(_ action: RefreshMachine.Action) async -> RefreshMachine.Event {
        let client = client
        switch action {
        case .lock: return await lock()
        case .read:
            do throws(SignInError) {
                return .read(try await client.vault.read())
            } catch {
                return .readFailed(error)
            }
        case .swap(let expected, let new):
            return .swapped(await client.vault.swap(expected, for: new, in: room))
        case .send(let record, let token, let target):
            return .answered(await send(token, of: record.tokens, for: target))
        case .check: return .checked(await check())
        case .revoke(let tokens):
            await client.discard(tokens)
            return .revoked
        default:
            if case .rest(let seconds) = action { try? await client.device.sleep(.seconds(seconds)) }
            return .rested
        }
    }

    private func lock() async -> RefreshMachine.Event {
        let client = client
        let time = await client.backgroundTime.begin("Renewing a session") { self.handle(.suspending) }
        guard let time else { return .lockRefused(.locked) }
        do throws(StorageFailure) {
            let hold = try await client.lock.acquire(client.storeKey.description, waiting: client.policy.lockPatience)
            state.withLock { state in (state.hold, state.time) = (hold, time) }
            return .locked
        } catch {
            time.release()
            return .lockRefused(error)
        }
    }

    private func send(_ token: Secret, of tokens: TokenSet, for target: AccessTokenTarget) async
        -> RefreshMachine.Answer
    {
        let client = client
        do throws(SignInError) {
            let grant = RefreshGrant(token, of: tokens, for: target)
            switch try await client.answer(refreshing: grant, of: tokens) {
            case .malformed(let error, let successor):
                if let end, end != .replaced, case .new(let token) = successor {
                    _ = await client.revokeOrKeep(token, of: tokens.identity?.subject)
                }
                return .rejected(error, successor)
            case .response(let unchecked):
                if let checked = client.directory.verifier.checkAtOnce(unchecked) {
                    return await discarding(unchecked, after: answer(checked))
                }
                state.withLock { $0.unchecked = unchecked }
                return .unchecked(unchecked.response.successor)
            }
        } catch {
            return .failed(error)
        }
    }

    private func check() async -> RefreshMachine.Answer {
        let unchecked = state.withLock { state in
            defer { state.unchecked = nil }
            return state.unchecked
        }
        guard let unchecked else { return .failed(.sessionOver) }
        let client = client
        let outcome: RefreshMachine.Answer
        do throws(SignInError) {
            outcome = answer(try await client.directory.verifier.check(unchecked))
        } catch {
            outcome = .failed(error)
        }
        return await discarding(unchecked, after: outcome)
    }

    /// Revokes the tokens of a response that failed a check, if the session has ended meanwhile.
    ///
    /// No caller gets them, and no later refresh uses them. Tokens of another user's session are not revoked.
    private func discarding(_ unchecked: UncheckedResponse, after outcome: RefreshMachine.Answer) async
        -> RefreshMachine.Answer
    {
        switch outcome {
        case .tokens, .unchecked: break
        case .rejected(let error, _), .failed(let error):
            guard let end, end != .replaced, ![.mismatch(.subject), .mismatch(.issuer)].contains(error.reason) else {
                break
            }
            guard let server = try? await client.directory.server(), server.revocationEndpoint != nil else { break }
            let tokens = unchecked.response.discarded
            await client.discard(tokens.refreshToken, or: tokens.accessToken, of: record.tokens.identity?.subject)
        }
        return outcome
    }

    /// A checked response as the machine takes it.
    private func answer(_ checked: CheckedResponse) -> RefreshMachine.Answer {
        client.report(checked.verdict)
        switch checked.tokens {
        case .success(let tokens): return .tokens(tokens)
        case .failure(let error): return .rejected(error, checked.successor)
        }
    }
}

extension SignInError {
    /// Whether a refresh failed and the session goes on: the next call tries again.
    fileprivate var leavesSession: Bool { reason != .cancelled && !endsSession && reason != .signInRequired }
}

/// The access tokens that were requested because a resource server rejected unexpired ones.
///
/// When such a token is rejected as well, it is not refreshed again: the resource server would otherwise cause a
/// refresh for each request. Once a server has accepted the token, it is treated like any other.
final class ForcedRefreshes: Sendable {
    private let brought = Lock<[AccessTokenTarget: Secret]>([:])

    /// Whether a token that was refused may be renewed for that.
    func mayRenew(_ refused: Secret, for target: AccessTokenTarget) -> Bool {
        brought.withLock { $0[target] != refused }
    }

    /// Stores the token of such a refresh.
    func note(_ token: Secret, for target: AccessTokenTarget) { brought.withLock { $0[target] = token } }

    /// Forgets a token that a server has taken.
    func forget(_ token: Secret, for target: AccessTokenTarget) {
        brought.withLock { if $0[target] == token { $0[target] = nil } }
    }
}
