#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a resource server is shown, and how long it is good.
public struct AccessToken: Sendable, Hashable {
    /// The token.
    public let value: Secret
    /// What it allows; what was asked for when the server did not say (RFC 6749 section 5.1).
    public let scopes: [Scope]
    /// When it expires, counted from when it was asked for; `nil` when the server did not say.
    public let expiry: Date?
    /// How long it lives in all, in seconds; `nil` when the server did not say.
    public let lifetime: Double?

    init(value: Secret, scopes: [Scope], expiry: Date?, lifetime: Double? = nil) {
        self.value = value
        self.scopes = scopes
        self.expiry = expiry
        self.lifetime = lifetime
    }

    /// Whether it is good for some more time.
    ///
    /// - Parameter margin: Seconds, 0 or more.
    public func isFresh(at now: Date, for margin: Double) -> Bool {
        expiry.map { now.addingTimeInterval(margin) < $0 } ?? true
    }

    /// Whether it is good for some more time.
    package func isFresh(at now: Date, for validity: TokenValidity) -> Bool {
        switch validity {
        case .atLeast(let seconds): isFresh(at: now, for: seconds)
        case .usually(let seconds): isFresh(at: now, for: min(seconds, lifetime.map { $0 / 2 } ?? seconds))
        }
    }
}
