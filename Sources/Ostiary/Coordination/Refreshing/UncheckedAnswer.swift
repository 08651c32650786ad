import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An answer of the token endpoint whose ID token nobody has checked.
struct UncheckedAnswer: Sendable {
    let response: TokenResponse
    /// When it was asked for: lifetimes count from there.
    let requested: Date
    /// The same by the device's own clock, right or wrong.
    let requestedOnDevice: Date
}
