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
    /// What the device itself shows.
    package var shown: Date

    /// Takes a time.
    ///
    /// - Parameter shown: What the device itself shows. Default: the same time.
    package init(_ date: Date, isConfirmed: Bool, shown: Date? = nil) {
        self.date = date
        self.isConfirmed = isConfirmed
        self.shown = shown ?? date
    }
}
