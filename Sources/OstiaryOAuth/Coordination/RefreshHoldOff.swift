import OstiaryCompatibility

/// The back-off after a server has failed.
///
/// The first failure of the network causes none: it may have passed. Neither does the first response that fails a
/// check: metadata or keys are read anew before the next. A busy server and an unreachable one get further requests
/// after a time that doubles, with jitter, so that many devices do not return at once; so does a server whose response
/// has no tokens, where the same refresh token is presented again.
package struct RefreshHoldOff: Sendable, Equatable {
    private var failures = 0
    private var last: (error: SignInError, until: Double)?

    package init() {}

    /// Returns the error for a caller during the back-off; `nil` when a request may be sent.
    package func refusal(at uptime: Double) -> SignInError? {
        guard let last, uptime < last.until else { return nil }
        var error = last.error
        error.retryAfter = Duration(boundedSeconds: last.until - uptime)
        return error
    }

    /// Takes a failure into account.
    ///
    /// `jitter` is a random number from 0 to 1.
    package mutating func note(_ error: SignInError, at uptime: Double, jitter: Double) {
        let isOfNetwork = if case .transport = error.reason { true } else { false }
        guard isOfNetwork || error.isOfBusyServer || error.retryAfter != nil else { return }
        note(error, isFirstFree: isOfNetwork, at: uptime, jitter: jitter)
    }

    /// Takes a response into account that failed a check: the next one may fail it again, and costs a rotation.
    ///
    /// `jitter` is a random number from 0 to 1.
    package mutating func noteRejection(_ error: SignInError, at uptime: Double, jitter: Double) {
        note(error, isFirstFree: true, at: uptime, jitter: jitter)
    }

    /// Takes a response without tokens into account, after which the same refresh token is presented again.
    ///
    /// `jitter` is a random number from 0 to 1.
    package mutating func noteLoss(_ error: SignInError, at uptime: Double, jitter: Double) {
        note(error, isFirstFree: false, at: uptime, jitter: jitter)
    }

    private mutating func note(_ error: SignInError, isFirstFree: Bool, at uptime: Double, jitter: Double) {
        failures += 1
        let doublings = failures - (isFirstFree ? 2 : 1)
        let pause = doublings < 0 ? 0 : min(Self.longest, Self.shortest * Double(1 << min(doublings, 10)))
        let until = uptime + max(error.retryAfter?.inSeconds ?? 0, pause * (0.5 + jitter / 2))
        last = until > uptime ? (error, until) : nil
    }

    /// Forgets everything: the server answered.
    package mutating func reset() { self = RefreshHoldOff() }

    package static func == (one: RefreshHoldOff, other: RefreshHoldOff) -> Bool {
        one.failures == other.failures && one.last?.error == other.last?.error && one.last?.until == other.last?.until
    }

    private static let shortest: Double = 1
    private static let longest: Double = 60
}
