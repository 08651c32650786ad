public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An issuer's keys and how fresh they are, as a value that answers: here they are, fetch them, or refuse.
///
/// A token with an unknown key identifier may be signed by a key that is newer than the cache, so it causes one fetch;
/// a pause after each such fetch keeps strangers from turning made-up identifiers into traffic. A bad signature by a
/// known key causes none. (OpenID Connect Core section 10.1.1.)
public struct KeySetCache: Sendable {
    /// What to do for a token.
    public enum Answer: Sendable {
        /// Check it with these keys.
        case hit(JSONWebKeySet)
        /// Fetch the keys, tell ``store(_:at:)`` of them, and ask again.
        case fetch
        /// No key fits, and it is too early to look again: check it with these keys, and it will be refused.
        case refuse(JSONWebKeySet)
    }

    /// How long keys are used without looking again, in seconds.
    public let lifetime: Double
    /// The pause after a fetch in which an unknown key identifier causes no other, in seconds.
    public let pause: Double
    /// The keys, however old.
    public var keys: JSONWebKeySet? { held?.keys }
    private var held: (keys: JSONWebKeySet, fetched: Date)?
    private var searched: Date?

    /// Makes an empty cache: keys live an hour, unknown identifiers cause a fetch every 30 seconds at most.
    public init(lifetime: Double = 3600, pause: Double = 30) {
        self.lifetime = lifetime
        self.pause = pause
    }

    /// Whether the keys have to be fetched whatever the token.
    public func isStale(at now: Date) -> Bool {
        guard let held else { return true }
        let age = now.timeIntervalSince(held.fetched)
        return age > lifetime || age < -pause
    }

    /// What to do for a token with this header.
    ///
    /// A fetch that an unknown key identifier causes starts the pause.
    ///
    /// - Parameters:
    ///   - keyID: The token's `kid`, if it has one.
    ///   - algorithm: The token's `alg`; `nil` for one that is not known, which no key will fit.
    public mutating func answer(keyID: String?, algorithm: SignatureAlgorithm?, at now: Date) -> Answer {
        guard let held, !isStale(at: now) else { return .fetch }
        guard let algorithm else { return .refuse(held.keys) }
        if !held.keys.candidates(keyID: keyID, algorithm: algorithm).isEmpty { return .hit(held.keys) }
        if let searched, abs(now.timeIntervalSince(searched)) < pause { return .refuse(held.keys) }
        searched = now
        return .fetch
    }

    /// Takes fetched keys.
    ///
    /// A set without a usable key does not replace one that has some: an empty answer is more often a failure than a
    /// rotation.
    public mutating func store(_ keys: JSONWebKeySet, at now: Date) {
        if keys.keys.isEmpty, let held, !held.keys.keys.isEmpty {
            self.held = (held.keys, now)
        } else {
            held = (keys, now)
        }
    }
}
