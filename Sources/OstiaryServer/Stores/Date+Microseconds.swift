#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    /// Microseconds since 1970, rounded, as a database keeps them; times out of all reason come to the nearest that a
    /// column can hold.
    package var microseconds: Int {
        let value = (timeIntervalSince1970 * 1_000_000).rounded()
        return Int(max(-9e18, min(9e18, value.isNaN ? 0 : value)))
    }

    /// A time that a database kept.
    package init(microseconds: Int) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
