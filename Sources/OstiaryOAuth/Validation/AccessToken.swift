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
    /// When it was asked for, by the device's own clock; `nil` when nobody wrote that down.
    let received: Date?

    init(value: Secret, scopes: [Scope], expiry: Date?, lifetime: Double? = nil, received: Date? = nil) {
        self.value = value
        self.scopes = scopes
        self.expiry = expiry
        self.lifetime = lifetime
        self.received = received
    }

    /// Whether it is good for some more time.
    ///
    /// - Parameter margin: Seconds, 0 or more.
    public func isFresh(at now: Date, for margin: Double) -> Bool {
        expiry.map { now.addingTimeInterval(margin) < $0 } ?? true
    }

    /// Whether it is good for some more time.
    package func isFresh(at now: Date, for validity: TokenValidity) -> Bool { isFresh(at: now, for: margin(validity)) }

    /// Whether it is good for some more time.
    ///
    /// As long as no answer has said what time it is, the device's clock is compared with itself: a clock that was wrong when
    /// the token came and is as wrong now still tells how old the token is. One that was set back meanwhile tells nothing.
    package func isFresh(at reading: ClockReading, for validity: TokenValidity) -> Bool {
        guard !reading.isConfirmed, let received, let lifetime else { return isFresh(at: reading.date, for: validity) }
        let age = reading.date.timeIntervalSince(received)
        return age >= -ClockOffset.insignificant && age + margin(validity) < lifetime
    }

    private func margin(_ validity: TokenValidity) -> Double {
        switch validity {
        case .atLeast(let seconds): seconds
        case .usually(let seconds): min(seconds, lifetime.map { $0 / 2 } ?? seconds)
        }
    }
}
