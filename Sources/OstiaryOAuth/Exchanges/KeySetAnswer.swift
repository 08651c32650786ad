public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What an issuer answered when it was asked for its keys, and for how long the answer holds.
public struct KeySetAnswer: Sendable, Hashable {
    /// What came.
    public enum Content: Sendable, Hashable {
        /// A key set, without the keys that cannot be used.
        case keys(JSONWebKeySet)
        /// The set that the request named by its entity tag is still the current one (RFC 9110 section 15.4.5).
        case unchanged
    }

    /// For how long the issuer says that the answer holds. (RFC 9111 section 4.2)
    public enum Validity: Sendable, Hashable {
        /// It does not say.
        case unsaid
        /// So many seconds from now.
        case seconds(Double)
        /// Until this time by the issuer's clock, whose own reading is not known.
        case until(Date)
    }

    /// What came.
    public var content: Content
    /// For how long it holds, as the issuer says.
    public var validity: Validity
    /// Names this version of the set; `nil` when it has no well-formed name. (RFC 9110 section 8.8.3)
    public var entityTag: String?

    /// Makes an answer.
    public init(_ content: Content, validity: Validity = .unsaid, entityTag: String? = nil) {
        self.content = content
        self.validity = validity
        self.entityTag = entityTag
    }

    /// For how many seconds the keys are used: what the issuer says, within limits.
    ///
    /// Less than five minutes would make every burst of requests fetch; more than a day would keep a key that the issuer
    /// withdrew.
    func lifetime(at now: Date) -> Double {
        let said =
            switch validity {
            case .unsaid: KeySetCache.defaultLifetime
            case .seconds(let seconds): seconds
            case .until(let end): end.timeIntervalSince(now)
            }
        return KeySetCache.lifetimes.clamp(said)
    }
}

extension ClosedRange {
    /// The value of the range that is next to this one.
    func clamp(_ value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
