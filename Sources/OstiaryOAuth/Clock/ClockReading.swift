#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What time it is, and who says so.
package struct ClockReading: Sendable, Hashable {
    /// The time to compare with a server's.
    package var date: Date
    /// Whether an answer of the server has confirmed or corrected it; otherwise it is what the device shows, which may be
    /// wrong by any amount.
    package var isConfirmed: Bool

    package init(_ date: Date, isConfirmed: Bool) {
        self.date = date
        self.isConfirmed = isConfirmed
    }
}
