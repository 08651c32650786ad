import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// One live session of this process: carries out what its ``RefreshMachine`` decides.
///
/// A lock guards the machine, so that a token that lasts is read without waiting for anybody. However many ``Session``
/// objects an app has of one stored session, they share this.
final class RefreshCoordinator: Sendable {
    typealias Machine = RefreshMachine<TokenSet>

    private struct State {
        var machine: Machine
        var callers: [Int: CheckedContinuation<Result<TokenSet, SignInError>, Never>] = [:]
        var questions = 0
        var hold: ProcessLockHold?
        var time: BackgroundTimeHold?
        /// An answer whose ID token waits for keys.
        var unchecked: UncheckedAnswer?
    }

    let observers = SessionObservers()
    let forcedRefreshes = ForcedRefreshes()
    private let client: SignInClient
    private let state: Mutex<State>

    init(_ record: StoredSession, of client: SignInClient) {
        self.client = client
        let machine = Machine(record, replay: .init(window: client.policy.replayWindow))
        state = Mutex(State(machine: machine))
    }

    /// Which stored session it is.
    var id: String { state.withLock { $0.machine.record.id } }
    /// The tokens as this process knows them.
    var tokens: TokenSet { state.withLock { $0.machine.record.tokens } }
    /// The refresh token to revoke, which may be newer than the one among the tokens.
    var record: StoredSession { state.withLock { $0.machine.record } }
    /// Why the session has ended.
    var end: SessionEnd? { state.withLock { $0.machine.end } }

    /// The token for a target, when it need not be renewed and is stored.
    func freshToken(for target: AccessTokenTarget, lasting validity: TokenValidity) throws(SignInError) -> Secret? {
        let now = client.context.clock.reading
        let (token, hasEnded) = state.withLock { state -> (Secret?, Bool) in
            let tokens = state.machine.tokens(for: target, meeting: .lasting(validity), at: now)
            return (tokens?.access(for: target)?.value, state.machine.end != nil)
        }
        if hasEnded { throw .sessionOver }
        return token
    }

    /// Tokens that meet a need, from the flight under way or from a new one.
    ///
    /// A caller that is cancelled leaves at once; the flight goes on for the others.
    func tokens(for target: AccessTokenTarget, meeting need: Machine.Need) async throws(SignInError) -> TokenSet {
        let id = state.withLock { state in
            state.questions += 1
            return state.questions
        }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.callers[id] = continuation }
                handle(.asked(.init(id: id, target: target, need: need)))
                // The handler may have run before there was anybody to cancel.
                if Task.isCancelled { handle(.cancelled(id)) }
            }
        } onCancel: {
            handle(.cancelled(id))
        }.get()
    }

    /// Takes an event in, and does what follows.
    func handle(_ event: Machine.Event) {
        let now = client.context.clock.reading
        let uptime = client.device.uptime()
        var random = client.random()
        let moment = Machine.Moment(now, uptime: uptime, jitter: Double.random(in: 0..<1, using: &random))
        let steps = state.withLock { state in
            state.machine.handle(event, at: moment).compactMap { Self.step($0, &state) }
        }
        for step in steps { take(step) }
    }

    /// What is left to do when the lock on the machine is given back.
    private enum Step {
        case work(Machine.Action)
        case answer(CheckedContinuation<Result<TokenSet, SignInError>, Never>, Result<TokenSet, SignInError>)
        case release(ProcessLockHold?, BackgroundTimeHold?)
        case tell(SessionState, FlowEvent?)
    }

    /// Takes out of the state what an action is about, while nobody else can: the lock of a later flight is not released
    /// for an earlier one, and nobody is answered twice.
    private static func step(_ action: Machine.Action, _ state: inout State) -> Step? {
        switch action {
        case .lock, .read, .swap, .send, .check, .rest, .revoke: return .work(action)
        case .unlock:
            defer { (state.hold, state.time) = (nil, nil) }
            return .release(state.hold, state.time)
        case .answer(let id, let result): return state.callers.removeValue(forKey: id).map { .answer($0, result) }
        case .refreshed: return .tell(.active, .refreshed)
        case .recovered: return .tell(.active, nil)
        case .failed(let error): return .tell(.stale(error), nil)
        case .ended(let end): return .tell(.ended(end), .ended(end))
        }
    }

    private func take(_ step: Step) {
        switch step {
        case .work(let action): Task { await handle(carryOut(action)) }
        case .answer(let continuation, let result):
            if case .failure(let error) = result, error.recovery == .retry, error.reason != .cancelled {
                observers.note(.stale(error))
            }
            continuation.resume(returning: result)
        case .release(let hold, let time):
            hold?.release()
            time?.release()
        case .tell(let state, let event):
            observers.note(state)
            if let event { client.events(event) }
        }
    }

    /// Does what takes time.
    private func carryOut(_ action: Machine.Action) async -> Machine.Event {
        switch action {
        case .lock: return await lock()
        case .read:
            do throws(SignInError) {
                return .read(try await client.vault.read())
            } catch {
                return .readFailed(error)
            }
        case .swap(let expected, let new): return .swapped(await client.vault.swap(expected, for: new))
        case .send(let record, let token, let target):
            return .answered(await send(token, of: record.tokens, for: target))
        case .check: return .checked(await check())
        case .revoke(let tokens):
            _ = await client.revoke(tokens)
            return .revoked
        default:
            if case .rest(let seconds) = action { try? await client.device.sleep(seconds) }
            return .rested
        }
    }

    private func lock() async -> Machine.Event {
        let time = await client.backgroundTime.begin("Renewing a session") { self.handle(.suspending) }
        guard let time else { return .lockRefused(.locked) }
        do throws(StorageFailure) {
            let hold = try await client.lock.take(client.storeKey.description, waiting: client.policy.lockPatience)
            state.withLock { state in (state.hold, state.time) = (hold, time) }
            return .locked
        } catch {
            time.release()
            return .lockRefused(error)
        }
    }

    private func send(_ token: Secret, of tokens: TokenSet, for target: AccessTokenTarget) async -> Machine.Answer {
        do throws(SignInError) {
            let server = try await client.directory.server()
            let grant = RefreshGrant(token, of: tokens, for: target)
            let answer = try await client.answer(
                to: TokenExchange(grant, client: client.client, server: server)
            )
            if let keys = client.directory.keysAtHand(for: answer.response.signature) {
                return checked(answer, by: keys)
            }
            state.withLock { $0.unchecked = answer }
            return .unchecked(answer.response.newRefreshToken)
        } catch {
            return .failed(error)
        }
    }

    private func check() async -> Machine.Answer {
        let unchecked = state.withLock { state in
            defer { state.unchecked = nil }
            return state.unchecked
        }
        guard let unchecked else { return .failed(.sessionOver) }
        do throws(SignInError) {
            return checked(unchecked, by: try await client.directory.keys(for: unchecked.response.signature))
        } catch {
            return .failed(error)
        }
    }

    /// Makes every check of an answer.
    private func checked(_ answer: UncheckedAnswer, by keys: JSONWebKeySet) -> Machine.Answer {
        var failsForNow = false
        do throws(SignInError) {
            return .tokens(try client.validated(answer, by: keys) { failsForNow = $0.failsForNow })
        } catch {
            return .rejected(error, failsForNow ? answer.response.newRefreshToken : nil)
        }
    }
}
