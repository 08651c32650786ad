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
    /// The device's clock, compared with itself, tells how old the token is: a clock that was wrong when the token came and is
    /// as wrong now, too. As long as no answer has said what time it is, it alone decides, and one that was set back meanwhile
    /// tells nothing. From then on the server's time decides, and a token is too old by either: the uptime that the server's
    /// time is kept by can have stood still with the machine.
    package func isFresh(at reading: ClockReading, for validity: TokenValidity) -> Bool {
        guard let received, let lifetime else { return isFresh(at: reading.date, for: validity) }
        let age = reading.shown.timeIntervalSince(received)
        guard age + margin(validity) < lifetime else { return false }
        return reading.isConfirmed
            ? isFresh(at: reading.date, for: validity) : age >= -ClockOffset.insignificant
    }

    private func margin(_ validity: TokenValidity) -> Double {
        switch validity {
        case .atLeast(let seconds): seconds
        case .usually(let seconds): min(seconds, lifetime.map { $0 / 2 } ?? seconds)
        }
    }
}
