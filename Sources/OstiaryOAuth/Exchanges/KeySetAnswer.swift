public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension KeySetRequest {
    /// An issuer's response to a request for its key set, with the time for which it is fresh.
    public struct Answer: Sendable, Hashable {
        /// The content of the response.
        public enum Content: Sendable, Hashable {
            /// A key set, without the keys that cannot be used.
            case keys(JSONWebKeySet)
            /// The set that the request named by its entity tag is still the current one (RFC 9110 section 15.4.5).
            case unchanged
        }

        /// The time for which the response is fresh according to the issuer (RFC 9111 section 4.2).
        public enum Validity: Sendable, Hashable {
            /// The issuer states no time.
            case unsaid
            /// Fresh for this many seconds from now.
            case seconds(Double)
            /// Fresh until this time by the issuer's clock, whose own reading is not known.
            case until(Date)
        }

        /// The content of the response.
        public var content: Content
        /// The time for which the issuer declares the response fresh.
        public var validity: Validity
        /// Names this version of the set; `nil` when it has no well-formed name. (RFC 9110 section 8.8.3)
        public var entityTag: String?

        /// Makes a response.
        public init(_ content: Content, validity: Validity = .unsaid, entityTag: String? = nil) {
            self.content = content
            self.validity = validity
            self.entityTag = entityTag
        }

        /// Returns the time for which the keys are used, in seconds: the issuer's, within limits.
        ///
        /// Less than five minutes would make every burst of requests fetch; more than a day would keep a key that the
        /// issuer withdrew.
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
}

extension ClosedRange {
    /// The value of the range that is next to this one.
    func clamp(_ value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
