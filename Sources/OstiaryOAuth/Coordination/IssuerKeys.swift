package import OstiaryJOSE
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One issuer's keys, fetched one request at a time as a ``KeySetCache`` says, for everybody in the process.
///
/// A lock guards the cache, so that a token whose key is at hand is checked without waiting for anybody.
package final class IssuerKeys: Sendable {
    private typealias Outcome = Result<JSONWebKeySet, SignInError>

    /// Fetches are numbered, so that a caller can tell one that began after it asked from one that may be too old.
    private struct Flight {
        let number: Int
        let task: Task<Outcome, Never>
    }

    private struct State {
        var cache: KeySetCache
        var failure: SignInError?
        var flight: Flight?
        var started = 0
        var landed: (number: Int, outcome: Outcome)?
    }

    /// What a caller has to do for its keys.
    private enum Course {
        case answered(JSONWebKeySet)
        case failed(SignInError)
        /// Wait for the fetch under way, and be content with what it brings.
        case accept(Flight)
        /// Wait for the fetch under way, and for another one if it began too early to bring the key.
        case join(Flight)
        /// Wait for a fetch that began because of the question.
        case await(Flight)
    }

    private let metadata: IssuerMetadata
    private let transport: any HTTPTransport
    private let context: ExchangeContext
    private let now: @Sendable () -> Date
    private let jitter: @Sendable () -> Double
    /// The shortest time for which keys are used, in seconds; `nil` leaves it to the issuer and fetches them ahead of time.
    private let minimumLifetime: Double?
    private let state: Mutex<State>

    /// Begins without keys, or with those of an earlier process.
    ///
    /// - Parameters:
    ///   - now: The time that the age of keys is counted by.
    ///   - minimumLifetime: The shortest time for which keys are used, in seconds, for a client whose tokens come from the issuer
    ///     itself: they are fetched when they are older or a key is missing, and never ahead of time. Default: the
    ///     issuer says how long.
    ///   - jitter: A random number from 0 to 1 for each fetch. Default: from the context's random numbers.
    package init(
        metadata: IssuerMetadata,
        snapshot: KeySetSnapshot? = nil,
        transport: any HTTPTransport,
        context: ExchangeContext,
        now: @escaping @Sendable () -> Date,
        minimumLifetime: Double? = nil,
        jitter: (@Sendable () -> Double)? = nil
    ) {
        let jitter =
            jitter ?? {
                var generator = context.random()
                let word: UInt64 = generator.next()
                return Double(word >> 11) / Double(1 << 53 as UInt64)
            }
        self.metadata = metadata
        self.transport = transport
        self.context = context
        self.now = now
        self.jitter = jitter
        self.minimumLifetime = minimumLifetime
        let cache = snapshot.map { KeySetCache(restoring: $0, jitter: jitter()) } ?? KeySetCache()
        state = Mutex(State(cache: cache))
    }

    /// How the keys are, for a health check.
    package var health: KeySetCache.State { state.withLock { $0.cache.state(at: now()) } }

    /// The keys at hand with what is known of their age.
    package var snapshot: KeySetSnapshot? { state.withLock { $0.cache.snapshot } }

    /// Takes the keys that an earlier process fetched, unless there are some already.
    package func restore(_ snapshot: KeySetSnapshot) {
        let jitter = jitter()
        state.withLock { state in
            guard state.cache.snapshot == nil else { return }
            state.cache = KeySetCache(restoring: snapshot, jitter: jitter)
        }
    }

    /// Sees to it that there are fresh keys.
    ///
    /// - Throws: What kept them from being fetched.
    package func warm() async throws(SignInError) {
        let course = state.withLock { state -> Course? in
            if state.cache.state(at: now()) == .fresh {
                startRefreshIfDue(&state)
                return nil
            }
            return joinedOrStarted(&state)
        }
        guard let course else { return }
        _ = try await outcome(of: course).get()
    }

    /// The keys at hand, when one of them fits and they need not be fetched first; ones that are getting old are fetched
    /// meanwhile.
    package func keysAtHand(keyID: String?, algorithm: SignatureAlgorithm) -> JSONWebKeySet? {
        state.withLock { state in
            guard let keys = state.cache.hit(keyID: keyID, algorithm: algorithm, at: now()) else { return nil }
            startRefreshIfDue(&state)
            return keys
        }
    }

    /// The keys to check a signature with.
    ///
    /// They need not hold one that fits: then the issuer has none, and the token is to be refused.
    ///
    /// - Throws: What kept the keys from being fetched, when no key at hand fits.
    package func keys(keyID: String?, algorithm: SignatureAlgorithm?) async throws(SignInError) -> JSONWebKeySet {
        guard let algorithm else { return state.withLock { $0.cache.keys } ?? JSONWebKeySet([]) }
        if let keys = keysAtHand(keyID: keyID, algorithm: algorithm) { return keys }
        let course = state.withLock { state -> Course in
            switch state.cache.answer(keyID: keyID, algorithm: algorithm, at: now()) {
            case .hit(let keys): .answered(keys)
            // The key may be what the fetch under way is for; but no made-up key makes another follow it.
            case .refuse(let keys): state.flight.map(Course.accept) ?? .answered(keys)
            case .fetch: joinedOrStarted(&state)
            }
        }
        func fits(_ keys: JSONWebKeySet) -> Bool { !keys.candidates(keyID: keyID, algorithm: algorithm).isEmpty }
        var outcome = await outcome(of: course)
        var isNewer = if case .await = course { true } else { false }
        // A fetch that was under way may have been answered before the key was published.
        if case .join(let flight) = course, case .success(let keys) = outcome, !fits(keys) {
            outcome = await self.outcome(ofFlightAfter: flight.number)
            isNewer = true
        }
        switch outcome {
        case .success(let keys):
            // Only what was asked for after the question shows that the issuer does not have the key.
            if isNewer, !fits(keys) {
                state.withLock { $0.cache.recordMissing(keyID: keyID, algorithm: algorithm, at: now()) }
            }
            return keys
        case .failure(let error):
            guard let keys = keysAtHand(keyID: keyID, algorithm: algorithm) else { throw error }
            return keys
        }
    }

    /// The number of fetches that have begun.
    package var fetches: Int { state.withLock { $0.started } }

    /// The keys of a fetch that began after some others, for a token that came after those.
    ///
    /// - Parameter count: How many fetches had begun when the token came.
    /// - Returns: The keys at hand when tokens may not cause another fetch now.
    /// - Throws: What kept the keys from being fetched; `cancelled` when the caller's task is.
    package func keys(afterFetches count: Int) async throws(SignInError) -> JSONWebKeySet {
        let course = state.withLock { state -> Course in
            if let landed = state.landed, landed.number > count {
                switch landed.outcome {
                case .success(let keys): return .answered(keys)
                case .failure(let error): return .failed(error)
                }
            }
            if let flight = state.flight, flight.number > count { return .accept(flight) }
            guard state.cache.takeForcedFetch(at: now()) else {
                return .answered(state.cache.keys ?? JSONWebKeySet([]))
            }
            return joinedOrStarted(&state)
        }
        if case .join(let flight) = course {
            guard await flight.task.sharedValue() != nil else { throw SignInError(.keys, .cancelled) }
            return try await outcome(ofFlightAfter: flight.number).get()
        }
        return try await outcome(of: course).get()
    }

    private func outcome(of course: Course) async -> Outcome {
        switch course {
        case .answered(let keys): .success(keys)
        case .failed(let error): .failure(error)
        case .accept(let flight), .join(let flight), .await(let flight):
            await flight.task.sharedValue() ?? .failure(SignInError(.keys, .cancelled))
        }
    }

    /// What a fetch brought that began after another one; it is started unless somebody else has done so.
    private func outcome(ofFlightAfter number: Int) async -> Outcome {
        let course = state.withLock { state -> Course in
            if let landed = state.landed, landed.number > number {
                switch landed.outcome {
                case .success(let keys): return .answered(keys)
                case .failure(let error): return .failed(error)
                }
            }
            return joinedOrStarted(&state)
        }
        return await outcome(of: course)
    }

    private func joinedOrStarted(_ state: inout State) -> Course {
        if let flight = state.flight { return .join(flight) }
        if let failure = state.failure, !state.cache.mayFetch(at: now()) { return .failed(failure) }
        return .await(startFetch(&state))
    }

    private func startRefreshIfDue(_ state: inout State) {
        guard minimumLifetime == nil, state.flight == nil, state.cache.isRefreshDue(at: now()) else { return }
        _ = startFetch(&state)
    }

    private func startFetch(_ state: inout State) -> Flight {
        state.started += 1
        let number = state.started
        // A task of its own: a caller that goes away does not take the fetch of the others with it.
        let flight = Flight(number: number, task: Task { await self.fly(number) })
        state.flight = flight
        return flight
    }

    private func fly(_ number: Int) async -> Outcome {
        let outcome = await fetch()
        state.withLock { state in
            state.landed = (number, outcome)
            state.flight = nil
        }
        return outcome
    }

    private func fetch() async -> Outcome {
        var ticket: KeySetCache.Ticket?
        do throws(SignInError) {
            let server = try await metadata.server(with: .keySet)
            guard let location = server.jwksURI else { throw SignInError(.keys, .unsupported("a jwks_uri")) }
            let asked = state.withLock { $0.cache.ticket(for: location) }
            ticket = asked
            var answer = try await transport.perform(KeySetFetch(server, entityTag: asked.entityTag), in: context)
            let (now, jitter) = (now(), jitter())
            if let minimumLifetime { answer.validity = .seconds(max(minimumLifetime, answer.lifetime(at: now))) }
            let keys = try state.withLock { state throws(SignInError) in
                let keys = try state.cache.store(answer, for: asked, at: now, jitter: jitter)
                state.failure = nil
                return keys
            }
            return .success(keys)
        } catch {
            let ticket = ticket
            state.withLock { state in
                state.cache.recordFailure(of: ticket, at: now())
                state.failure = error
            }
            // The keys may have moved: the next fetch looks the place up again.
            await metadata.doubt()
            return .failure(error)
        }
    }
}
