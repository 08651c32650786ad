#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A token response that has not been checked, and when it was requested.
package struct UncheckedResponse: Sendable {
    package let response: TokenResponse
    /// The time of the request; lifetimes count from it.
    package let requested: Date
    /// The same time by the device's own clock, right or wrong; `nil` where it does not matter.
    package let requestedOnDevice: Date?
    /// The number of fetches of the issuer's keys that had begun when the response came.
    package let keyFetches: Int

    /// Wraps a response that has just arrived.
    package init(
        _ response: TokenResponse,
        requested: Date,
        requestedOnDevice: Date? = nil,
        keyFetches: Int
    ) {
        self.response = response
        self.requested = requested
        self.requestedOnDevice = requestedOnDevice
        self.keyFetches = keyFetches
    }
}
