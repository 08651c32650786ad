#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A time and its source.
package struct ClockReading: Sendable, Hashable {
    /// The time to compare with a server's.
    package var date: Date
    /// Whether a response of the server has confirmed or corrected the time.
    ///
    /// Otherwise it is the device's time, which may be wrong by any amount.
    package var isConfirmed: Bool
    /// The device's own time.
    package var shown: Date

    /// Makes a reading.
    ///
    /// `shown` is the device's own time. Default: the same time.
    package init(_ date: Date, isConfirmed: Bool, shown: Date? = nil) {
        self.date = date
        self.isConfirmed = isConfirmed
        self.shown = shown ?? date
    }
}
