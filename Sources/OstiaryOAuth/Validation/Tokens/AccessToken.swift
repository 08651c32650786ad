import OstiaryCompatibility

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An access token and its lifetime, presented to resource servers.
public struct AccessToken: Sendable, Hashable {
    /// The token.
    public let value: Secret
    /// The granted scopes; the requested ones when the server named none (RFC 6749 section 5.1).
    public let scopes: [Scope]
    /// The expiry, counted from the time of the request; `nil` when the server named no lifetime.
    public let expiry: Date?
    /// The full lifetime; `nil` when the server named none.
    public var lifetime: Duration? { lifetimeInSeconds.map { Duration(boundedSeconds: $0) } }
    /// The same as a number: each call for a token compares it.
    let lifetimeInSeconds: Double?
    /// The time of the request by the device's own clock; `nil` when it was not recorded.
    let received: Date?

    init(value: Secret, scopes: [Scope], expiry: Date?, lifetimeInSeconds: Double? = nil, received: Date? = nil) {
        self.value = value
        self.scopes = scopes
        self.expiry = expiry
        self.lifetimeInSeconds = lifetimeInSeconds
        self.received = received
    }

    /// Whether the token is valid for at least `margin` more.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - margin: The time, 0 or more.
    /// - Returns: Whether it is; a token without a known expiry counts as valid.
    public func isFresh(at now: Date, for margin: Duration) -> Bool {
        isFresh(at: now, for: .atLeast(margin.inSeconds))
    }

    /// Whether the token is valid for the given time.
    package func isFresh(at now: Date, for validity: TokenValidity) -> Bool {
        expiry.map { now.addingTimeInterval(margin(validity)) < $0 } ?? true
    }

    /// Whether the token is valid for the given time.
    ///
    /// The device's clock, compared with itself, gives the token's age, even if the clock was and is equally wrong.
    /// Until a response has confirmed the time, the device's clock alone decides; a clock that was set back meanwhile
    /// proves nothing. After that, the server's time decides as well, and the token counts as expired by either. The
    /// uptime behind the server's time may have stood still with the machine.
    package func isFresh(at reading: ClockReading, for validity: TokenValidity) -> Bool {
        guard let received, let lifetimeInSeconds else { return isFresh(at: reading.date, for: validity) }
        let age = reading.shown.timeIntervalSince(received)
        guard age + margin(validity) < lifetimeInSeconds else { return false }
        return reading.isConfirmed
            ? isFresh(at: reading.date, for: validity) : age >= -ServerClock.Offset.insignificant
    }

    private func margin(_ validity: TokenValidity) -> Double {
        switch validity {
        case .atLeast(let seconds): seconds
        case .usually(let seconds): min(seconds, lifetimeInSeconds.map { $0 / 2 } ?? seconds)
        }
    }
}

/// The time for which an access token must remain valid, in seconds, 0 or more.
package enum TokenValidity: Sendable, Hashable {
    /// The time that the caller requires.
    case atLeast(Double)
    /// The usual time, or half the token's lifetime if that is shorter.
    ///
    /// A token with a lifetime of a minute would otherwise be refreshed with each use.
    case usually(Double)
}
