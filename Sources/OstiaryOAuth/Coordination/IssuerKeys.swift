import OstiaryCompatibility
package import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One issuer's key set, shared by all callers in the process and fetched as a ``KeySetCache`` decides, one request at
/// a time.
///
/// A lock guards the cache, so that a token whose key is cached is checked without waiting.
package final class IssuerKeys: Sendable {
    private typealias Outcome = Result<JSONWebKeySet, SignInError>

    /// A numbered fetch: the number separates a fetch that began after a caller's request from an older one.
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

    /// The way in which a caller gets its keys.
    private enum Course {
        case answered(JSONWebKeySet)
        case failed(SignInError)
        /// Wait for the fetch in progress, and accept its result.
        case accept(Flight)
        /// Wait for the fetch in progress, and for another one if it began too early to include the key.
        case join(Flight)
        /// Wait for a fetch that this request started.
        case await(Flight)
    }

    private let metadata: IssuerMetadata
    private let transport: any HTTPTransport
    private let context: ExchangeContext
    private let now: @Sendable () -> Date
    private let jitter: @Sendable () -> Double
    /// The shortest time for which keys are used; `nil` leaves it to the issuer and fetches them ahead of time.
    private let minimumLifetime: Duration?
    private let state: Lock<State>

    /// Begins without keys, or with those of an earlier process.
    ///
    /// `now` returns the time that the age of keys is counted by. `minimumLifetime` is the shortest time for which keys
    /// are used, for a client whose tokens come from the issuer itself: they are fetched when they are older or a key
    /// is missing, and never ahead of time; by default the issuer says how long. `jitter` returns a random number from
    /// 0 to 1 for each fetch, by default from the context's random numbers.
    package init(
        metadata: IssuerMetadata,
        snapshot: KeySetCache.Snapshot? = nil,
        transport: any HTTPTransport,
        context: ExchangeContext,
        now: @escaping @Sendable () -> Date,
        minimumLifetime: Duration? = nil,
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
        state = Lock(State(cache: cache))
    }

    /// The state of the cached keys, for a health check.
    package var health: KeySetCache.State { state.withLock { $0.cache.state(at: now()) } }

    /// The cached keys with their age.
    package var snapshot: KeySetCache.Snapshot? { state.withLock { $0.cache.snapshot } }

    /// Takes the keys that an earlier process fetched, unless there are some already.
    package func restore(_ snapshot: KeySetCache.Snapshot) {
        let jitter = jitter()
        state.withLock { state in
            guard state.cache.snapshot == nil else { return }
            state.cache = KeySetCache(restoring: snapshot, jitter: jitter)
        }
    }

    /// Fetches the keys unless fresh ones are cached.
    ///
    /// - Throws: The error of the fetch.
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

    /// Returns the cached keys if one of them fits and no fetch must come first; starts a refresh of keys that are due
    /// for one.
    package func cachedKeys(keyID: String?, algorithm: SignatureAlgorithm) -> JSONWebKeySet? {
        state.withLock { state in
            guard let keys = state.cache.hit(keyID: keyID, algorithm: algorithm, at: now()) else { return nil }
            startRefreshIfDue(&state)
            return keys
        }
    }

    /// Returns the keys to check a signature with.
    ///
    /// They may not include one that fits: then the issuer has none, and the token must be rejected.
    ///
    /// - Throws: The error of the fetch, when no cached key fits.
    package func keys(keyID: String?, algorithm: SignatureAlgorithm?) async throws(SignInError) -> JSONWebKeySet {
        guard let algorithm else { return state.withLock { $0.cache.keys } ?? JSONWebKeySet([]) }
        if let keys = cachedKeys(keyID: keyID, algorithm: algorithm) { return keys }
        let course = state.withLock { state -> Course in
            switch state.cache.answer(keyID: keyID, algorithm: algorithm, at: now()) {
            case .hit(let keys): .answered(keys)
            // The fetch in progress may bring the key, but a made-up key identifier does not start another one.
            case .refuse(let keys): state.flight.map(Course.accept) ?? .answered(keys)
            case .fetch: joinedOrStarted(&state)
            }
        }
        func fits(_ keys: JSONWebKeySet) -> Bool { !keys.candidates(keyID: keyID, algorithm: algorithm).isEmpty }
        var outcome = await outcome(of: course)
        var isNewer = if case .await = course { true } else { false }
        // The issuer may have answered an earlier fetch before it published the key.
        if case .join(let flight) = course, case .success(let keys) = outcome, !fits(keys) {
            outcome = await self.outcome(ofFlightAfter: flight.number)
            isNewer = true
        }
        switch outcome {
        case .success(let keys):
            // Only a fetch that began after this request proves that the issuer does not have the key.
            if isNewer, !fits(keys) {
                state.withLock { $0.cache.recordMissing(keyID: keyID, algorithm: algorithm, at: now()) }
            }
            return keys
        case .failure(let error):
            guard let keys = cachedKeys(keyID: keyID, algorithm: algorithm) else { throw error }
            return keys
        }
    }

    /// The number of fetches that have begun.
    package var fetches: Int { state.withLock { $0.started } }

    /// Returns the keys of a fetch that began after `count` others, for a token that arrived after those.
    ///
    /// - Parameter count: The number of fetches that had begun when the token arrived.
    /// - Returns: The cached keys when tokens may not cause another fetch now.
    /// - Throws: The error of the fetch; `cancelled` when the caller's task is cancelled.
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

    /// Returns the outcome of a fetch that began after another one, starting it unless it has begun.
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
            var answer = try await transport.perform(KeySetRequest(server, entityTag: asked.entityTag), in: context)
            let (now, jitter) = (now(), jitter())
            if let minimumLifetime { answer.validity = .lasting(max(minimumLifetime, answer.lifetime(at: now))) }
            let keys = try state.withLock { state throws(SignInError) in
                let keys = try state.cache.store(answer, for: asked, at: now, jitter: jitter)
                state.failure = nil
                return keys
            }
            return .success(keys)
        } catch {
            let ticket = ticket
            state.withLock { state in
                state.cache.recordFailure(of: ticket, at: now(), retryAfter: error.retryAfter)
                state.failure = error
            }
            // The keys may have moved: the next fetch looks the place up again.
            await metadata.doubt()
            return .failure(error)
        }
    }
}
