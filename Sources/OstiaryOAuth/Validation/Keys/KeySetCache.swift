import OstiaryCompatibility
package import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An issuer's key set and its age, as a value that decides: use these keys, fetch the keys, or reject the token.
///
/// The cache does no I/O: its owner fetches when the cache requires it, and stores the response. Keys are used for the
/// lifetime that the issuer states, between five minutes and a day, and are refreshed before it ends. If that fails,
/// they stay in use for a day more. A token with an unknown key identifier may be signed by a key that is newer than
/// the cache. It therefore causes a fetch, at most as often as untrusted tokens may cause one. An invalid signature by
/// a known key causes none. (OpenID Connect Core section 10.1.1)
public struct KeySetCache: Sendable {
    /// The action for a token.
    package enum Answer: Sendable, Hashable {
        /// Check it with these keys.
        case hit(JSONWebKeySet)
        /// Fetch the keys, unless ``mayFetch(at:)`` forbids it for now, and call again.
        case fetch
        /// No key fits, and it is too early to look again: check it with these keys, and it will be refused.
        case refuse(JSONWebKeySet)
    }

    /// The state of the cached keys, for a health check.
    public enum State: Sendable, Hashable {
        /// They are as new as the issuer wants them to be.
        case fresh
        /// They could not be fetched again since this time, and are still used.
        case stale(since: Date)
        /// There are no usable keys.
        case missing
    }

    /// One request for the keys, passed back with its response.
    package struct Ticket: Sendable, Hashable {
        /// The URL of the key set.
        package let location: URL
        /// The entity tag of the cached key set, if it came from that URL.
        package let entityTag: String?
        let number: Int
    }

    /// The shortest and the longest time that keys are used without looking again.
    static let lifetimes: ClosedRange<Duration> = .seconds(300) ... .seconds(86_400)
    /// The lifetime of keys whose issuer states none.
    static let defaultLifetime = Duration.seconds(3600)
    /// The time in seconds for which keys that cannot be fetched again are used beyond their lifetime.
    static let grace: Double = 86_400
    /// The pause after a failed fetch, in seconds; without usable keys, the longest one.
    package static let retryPause: Double = 5
    /// The pause after the first failed fetch while there are no usable keys, in seconds; each failure doubles it.
    private static let firstRetryPause: Double = 0.25
    /// The longest pause that an issuer can request, in seconds.
    private static let longestRequestedPause: Double = 60
    /// The time in seconds that the clock may go back before the cached keys count as stale.
    private static let clockTolerance: Double = 30

    private var held: KeySetCache.Snapshot?
    /// The age at which the cached keys are refreshed, in seconds.
    private var refreshAge: Double = 0
    private var failed: Date?
    /// The failed fetches since the last response with keys.
    private var failures = 0
    /// The pause that the issuer requested with its last failure, in seconds.
    private var requestedPause: Double = 0
    private var forced = ForcedFetches()
    private var missing = MissingKeys()
    private var asked = 0
    private var stored = 0

    /// Makes an empty cache.
    package init() {}

    /// Makes a cache that begins with the keys of an earlier one.
    ///
    /// - Parameters:
    ///   - snapshot: The keys, with the age that they have.
    ///   - jitter: As in ``store(_:for:at:jitter:)``.
    package init(restoring snapshot: KeySetCache.Snapshot, jitter: Double) {
        hold(snapshot, jitter: jitter)
    }

    /// The keys, however old.
    package var keys: JSONWebKeySet? { held?.keys }

    /// The keys with their age, for the start of another cache.
    package var snapshot: KeySetCache.Snapshot? { held }

    /// Returns the state of the cached keys.
    package func state(at now: Date) -> State {
        guard let held else { return .missing }
        let age = now.timeIntervalSince(held.fetched)
        guard abs(age) <= held.lifetimeInSeconds + Self.grace else { return .missing }
        // After the clock was set back, the age of the keys is unknown.
        guard age >= -Self.clockTolerance else { return .stale(since: now) }
        return age <= held.lifetimeInSeconds
            ? .fresh : .stale(since: held.fetched.addingTimeInterval(held.lifetimeInSeconds))
    }

    /// Whether the keys should be fetched now, whatever tokens come: some time before their lifetime ends, or because
    /// the last fetch failed.
    package func isRefreshDue(at now: Date) -> Bool {
        guard mayFetch(at: now) else { return false }
        guard let held, failed == nil else { return true }
        let age = now.timeIntervalSince(held.fetched)
        return age >= refreshAge || age < -Self.clockTolerance
    }

    /// Whether enough time has passed since a fetch failed: five seconds while there are usable keys.
    ///
    /// Without usable keys every token is rejected, such as after a start before the issuer's. The pause is then a
    /// quarter of a second after the first failure, and doubles with each further one up to five seconds. An issuer
    /// that requests a longer pause gets it, up to a minute.
    package func mayFetch(at now: Date) -> Bool {
        guard let failed else { return true }
        var pause = Self.retryPause
        if state(at: now) == .missing {
            pause = min(pause, Self.firstRetryPause * Double(1 << min(max(0, failures - 1), 10)))
        }
        return abs(now.timeIntervalSince(failed)) >= max(pause, requestedPause)
    }

    /// The keys, when one of them fits and they may be used without looking for newer ones first.
    ///
    /// - Parameters:
    ///   - keyID: The token's `kid`; `nil` when it has none.
    ///   - algorithm: The token's `alg`.
    ///   - now: The current time.
    /// - Returns: All keys of the issuer; `nil` when ``answer(keyID:algorithm:at:)`` has to say what to do.
    package func hit(keyID: String?, algorithm: SignatureAlgorithm, at now: Date) -> JSONWebKeySet? {
        guard let keys = keysInUse(at: now), keys.hasCandidate(keyID: keyID, algorithm: algorithm) else {
            return nil
        }
        return keys
    }

    /// Returns the action for a token with this header.
    ///
    /// A fetch that only this token causes counts against the limit for untrusted tokens.
    ///
    /// - Parameters:
    ///   - keyID: The token's `kid`; `nil` when it has none.
    ///   - algorithm: The token's `alg`; `nil` for an unknown one, which no key will fit.
    ///   - now: The current time.
    /// - Returns: The keys to verify with, or the fetch to make first.
    package mutating func answer(keyID: String?, algorithm: SignatureAlgorithm?, at now: Date) -> Answer {
        guard let algorithm else { return .refuse(keys ?? JSONWebKeySet([])) }
        if let keys = hit(keyID: keyID, algorithm: algorithm, at: now) { return .hit(keys) }
        // After a failed fetch the cache may lack a key that the issuer has: the token is not at fault.
        guard let keys = keysInUse(at: now), failed == nil, !isRefreshDue(at: now) else { return .fetch }
        guard !missing.contains(keyID: keyID, algorithm: algorithm, at: now), forced.take(at: now) else {
            return .refuse(keys)
        }
        return .fetch
    }

    /// Takes one of the fetches that tokens may cause, for a signature that none of the cached keys made.
    ///
    /// - Returns: Whether a fetch may begin now.
    mutating func takeForcedFetch(at now: Date) -> Bool { mayFetch(at: now) && forced.take(at: now) }

    /// The keys, unless they are too old: past their lifetime they are used only when they could not be fetched anew.
    private func keysInUse(at now: Date) -> JSONWebKeySet? {
        switch state(at: now) {
        case .fresh: held?.keys
        case .stale: failed == nil ? nil : held?.keys
        case .missing: nil
        }
    }
}

extension KeySetCache {
    /// Begins a request for the keys.
    package mutating func ticket(for location: URL) -> Ticket {
        asked += 1
        // A tag names a version at one place, and means nothing at another.
        return Ticket(location: location, entityTag: held?.location == location ? held?.entityTag : nil, number: asked)
    }

    /// Stores the issuer's response.
    ///
    /// A set without a usable key is rejected: it is more often a failure than a rotation. A response that is older
    /// than the stored one is dropped.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - ticket: The request that it belongs to.
    ///   - now: The current time.
    ///   - jitter: From 0 to 1: selects the point between 75 and 85 per cent of the lifetime at which the keys are
    ///     refreshed, so that processes that started together do not all fetch together.
    /// - Returns: The keys to use from now on.
    /// - Throws: `malformed` at stage `keys` for a set without a usable key; the cached keys stay.
    @discardableResult
    package mutating func store(
        _ answer: KeySetRequest.Answer,
        for ticket: Ticket,
        at now: Date,
        jitter: Double
    ) throws(SignInError) -> JSONWebKeySet {
        if ticket.number < stored, let held { return held.keys }
        var next: KeySetCache.Snapshot
        switch answer.content {
        case .keys(let keys):
            guard keys.keys.contains(where: \.usableForVerification) else {
                throw SignInError(.keys, .malformed("the key set has no usable key"))
            }
            next = KeySetCache.Snapshot(keys: keys, location: ticket.location, fetched: now, lifetime: .zero)
            next.entityTag = answer.entityTag
        case .unchanged:
            // A response of "unchanged" must refer to the cached version.
            guard let held, held.location == ticket.location, let tag = ticket.entityTag, held.entityTag == tag else {
                throw SignInError(.keys, .malformed("the server reports an unchanged key set, and none is cached"))
            }
            next = held
            next.fetched = now
            next.entityTag = answer.entityTag ?? tag
        }
        next.lifetimeInSeconds = answer.lifetime(at: now).inSeconds
        stored = ticket.number
        failed = nil
        failures = 0
        hold(next, jitter: jitter)
        return next.keys
    }

    /// Records that a request returned no keys; the cached keys stay.
    ///
    /// - Parameters:
    ///   - ticket: The request; `nil` when none was sent.
    ///   - now: The current time.
    ///   - retryAfter: The pause that the issuer requested, of which a minute at most counts; `nil` when it requested
    ///     none. (RFC 9110 section 10.2.3)
    package mutating func recordFailure(of ticket: Ticket?, at now: Date, retryAfter: Duration? = nil) {
        if let ticket, ticket.number < stored { return }
        failed = now
        requestedPause = min(max(retryAfter?.inSeconds ?? 0, 0), Self.longestRequestedPause)
        failures = min(failures + 1, 100)
    }

    /// Notes that a fetch brought no key that fits, so that the same token causes no other for a minute.
    package mutating func recordMissing(keyID: String?, algorithm: SignatureAlgorithm, at now: Date) {
        missing.insert(keyID: keyID, algorithm: algorithm, at: now)
    }

    private mutating func hold(_ snapshot: KeySetCache.Snapshot, jitter: Double) {
        held = snapshot
        refreshAge = snapshot.lifetimeInSeconds * (0.75 + 0.1 * (0...1).clamp(jitter))
    }
}
