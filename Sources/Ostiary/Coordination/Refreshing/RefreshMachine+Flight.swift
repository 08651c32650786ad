import OstiaryOAuth

extension RefreshMachine {
    /// Whether a refresh token has left or may be about to leave, or tokens have come that are not stored.
    ///
    /// A refresh that has lost its last caller sends nothing: it lands once it has the lock.
    package var isUnsettled: Bool {
        guard let flight else { return !isSaved && end == nil }
        return flight.shown != nil || !waiting.isEmpty || !isSaved
    }

    /// Whether tokens are not stored, and the next attempt to store them waits for a caller.
    package var isUnsettledAtRest: Bool { flight == nil && isUnsettled }

    /// One refresh in progress, from taking the lock to the answer.
    struct Flight: Sendable {
        var phase = Phase.locking
        var holdsLock = false
        /// The lock was given back in the middle: nothing may be sent before it is taken again.
        var lostLock = false
        /// The target of the wanted access token.
        var target: Tokens.Target?
        /// The stored value, as last read by this refresh.
        var stored: Record?
        /// The refresh token that is sent.
        var shown: Tokens.RefreshToken?
        /// The server's refusal of the presented refresh token, when the lock had been lost by then.
        var refusal: SignInError?
        /// Whether the presented refresh token may have been used before.
        var isUncertain = false
        /// The number of repetitions of the request.
        var retries = 0
        /// The time since which tokens could not be stored, by the uptime.
        var unstoredSince: Double?
        /// The number of pauses before further attempts to store.
        var pauses = 0
        /// Whether it is waited for now.
        var isPausing = false
        /// The number of times that the stored value had changed.
        var surprises = 0
    }
}

extension RefreshMachine.Flight {
    /// The step in progress.
    enum Phase: Sendable {
        case locking
        case reading
        /// Reading without the lock, which was unavailable: another process may have refreshed the tokens.
        case readingUnlocked(StorageFailure)
        /// Reading without the lock, while the server is to be left alone.
        case looking
        /// Storing the tokens of an earlier refresh.
        case catchingUp
        /// Writing down that the refresh token is about to leave.
        case marking(RefreshMachine.Record)
        case sending
        /// Waiting to send the same refresh token again.
        case waitingToRepeat
        /// Storing the refresh token of an unchecked response.
        case keeping(RefreshMachine.Record)
        case checking
        case storing(RefreshMachine.Record)
        /// Waiting for another attempt to store tokens.
        case waitingToStore(RefreshMachine.Record)
        /// Removing the mark after a failure that ends the refresh.
        case unmarking(SignInError, RefreshMachine.Record)
        /// Storing the refresh token of a response that failed a check.
        case rejecting(SignInError, RefreshSuccessor<RefreshMachine.RefreshToken>, RefreshMachine.Record)
        /// Removing the stored value, since the server rejected its refresh token.
        case removing(SignInError, Session.End)
        /// Revoking tokens that arrived after the session had ended.
        case revoking

        var isLocking: Bool { if case .locking = self { true } else { false } }
        var isLooking: Bool { if case .looking = self { true } else { false } }

        /// Whether the refresh token has yet to leave.
        var isBeforeSending: Bool {
            switch self {
            case .reading, .readingUnlocked, .catchingUp, .marking, .waitingToRepeat: true
            default: false
            }
        }

        /// Whether new tokens may be on their way, or be here and stored nowhere.
        var mayBringTokens: Bool {
            switch self {
            case .sending, .keeping, .checking, .storing, .waitingToStore, .revoking: true
            default: false
            }
        }
    }
}
