#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    /// Microseconds since 1970, rounded, as a database stores them; a time outside a column's range becomes the nearest
    /// one in it.
    package var microseconds: Int {
        let value = (timeIntervalSince1970 * 1_000_000).rounded()
        return Int(max(-9e18, min(9e18, value.isNaN ? 0 : value)))
    }

    /// A time from a database.
    package init(microseconds: Int) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
