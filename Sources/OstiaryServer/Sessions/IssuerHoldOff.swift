import OstiaryCompatibility
import OstiaryOAuth

/// The back-off from an issuer that asked for it, did not answer, or has failed several times in a row.
///
/// All sessions of the issuer share it, so that a thousand of them do not contact a server that has just failed one.
/// When the time is over, one caller tries it, and the others wait for that result. Every instance keeps its own.
final class IssuerHoldOff: Sendable {
    /// The permission for a caller.
    enum Admission {
        /// Proceed.
        case free
        /// Proceed after a check that the issuer answers: no other caller tries meanwhile.
        case probe
        /// Do not contact the issuer.
        case refused(SignInError)
    }

    private struct State {
        var failures = 0
        var last: (error: SignInError, until: Double)?
        /// The time until which a caller tries.
        var probe: Double?
    }

    private let state = Lock(State())

    /// Failures in a row after which an issuer that answers quickly is not contacted.
    private let patience: Int
    private static let longest: Double = 30
    /// The longest time for which one session's `Retry-After` holds all of them off, in seconds.
    private static let longestRequested: Double = 60
    /// The time limit of an attempt, in seconds.
    private static let probeTime: Double = 60

    init(patience: Int = 5) { self.patience = patience }

    /// Decides on a caller.
    func admission(at uptime: Double) -> Admission {
        state.withLock { state in
            guard let last = state.last else { return .free }
            let end = max(last.until, state.probe ?? 0)
            guard uptime >= end else {
                var error = last.error
                error.retryAfter = Duration(boundedSeconds: uptime < last.until ? last.until - uptime : 1)
                return .refused(error)
            }
            state.probe = uptime + Self.probeTime
            return .probe
        }
    }

    /// The failure for which the issuer is not contacted now; `nil` when it may be sent requests.
    ///
    /// Unlike with ``admission(at:)``, the caller does not become the one that tries it.
    func refusal(at uptime: Double) -> SignInError? {
        state.withLock { state in
            guard let last = state.last, uptime < last.until else { return nil }
            var error = last.error
            error.retryAfter = Duration(boundedSeconds: last.until - uptime)
            return error
        }
    }

    /// Records a failure.
    ///
    /// `jitter` is a random number from 0 to 1, so that instances do not retry at the same time.
    func note(_ error: SignInError, at uptime: Double, jitter: Double) {
        guard error.isOfIssuer else { return }
        state.withLock { state in
            state.probe = nil
            // The failure of an earlier request brings no news.
            if let last = state.last, uptime < last.until, error.retryAfter == nil { return }
            state.failures += 1
            let isLoss = error.mayHaveBeenServed
            guard error.retryAfter != nil || isLoss || state.failures >= patience || state.last != nil else {
                return
            }
            let doublings = max(0, state.failures - (isLoss ? 1 : patience))
            let pause = min(Self.longest, Double(1 << min(doublings, 10))) * (0.5 + jitter / 2)
            state.last = (error, uptime + max(min(error.retryAfter?.inSeconds ?? 0, Self.longestRequested), pause))
        }
    }

    /// Resets the back-off, since the issuer answered.
    ///
    /// A requested pause stays in effect: the answer may belong to a request that was sent before it.
    func reset(at uptime: Double) {
        state.withLock { state in
            if let last = state.last, last.error.retryAfter != nil, uptime < last.until {
                state.failures = 0
            } else {
                state = State()
            }
        }
    }

    /// Lets the next caller try: the one that was to try it did not.
    func release() { state.withLock { $0.probe = nil } }
}

extension SignInError {
    /// Whether the issuer as a whole cannot answer now.
    var isOfIssuer: Bool {
        switch reason {
        case .transport(let failure):
            [.unreachable, .unknownHost, .tls, .timedOut, .interrupted].contains(failure)
        default: isOfBusyServer
        }
    }

    /// Whether the issuer may have served the request while the response was lost: the next one may be lost as well.
    fileprivate var mayHaveBeenServed: Bool {
        switch reason {
        case .transport(.timedOut), .transport(.interrupted), .server(status: 500), .server(status: 502),
            .server(status: 504):
            stage == .refresh && !isUnsent
        default: false
        }
    }
}
