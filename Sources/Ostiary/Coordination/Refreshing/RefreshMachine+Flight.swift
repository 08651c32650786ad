import OstiaryOAuth

extension RefreshMachine {
    /// Whether a refresh token has left or may be about to leave, or tokens have come that are not stored.
    ///
    /// A refresh that has lost its last caller sends nothing: it lands once it has the lock.
    package var isUnsettled: Bool {
        guard let flight else { return !isSaved && end == nil }
        return flight.shown != nil || !waiting.isEmpty || !isSaved
    }

    /// Whether tokens are not stored, and are not tried to be stored either before somebody wants a token.
    package var isUnsettledAtRest: Bool { flight == nil && isUnsettled }

    /// One refresh on its way, from the lock to the answer.
    struct Flight: Sendable {
        var phase = Phase.locking
        var holdsLock = false
        /// The lock was given back in the middle: nothing may be sent before it is taken again.
        var lostLock = false
        /// What an access token is wanted for.
        var target: Tokens.Target?
        /// What is stored, as far as this flight knows.
        var stored: Record?
        /// The refresh token that is sent.
        var shown: Tokens.RefreshToken?
        /// What the server said of the refresh token that was shown, when the lock had been lost by then.
        var refusal: SignInError?
        /// Whether the refresh token that is shown may have been used before.
        var isUncertain = false
        /// How often the request was repeated.
        var retries = 0
        /// Since when tokens could not be stored, by the uptime.
        var unstoredSince: Double?
        /// How often that was waited for.
        var pauses = 0
        /// Whether it is waited for now.
        var isPausing = false
        /// How often the stored value turned out to be another one.
        var surprises = 0
    }
}

extension RefreshMachine.Flight {
    /// What is waited for.
    enum Phase: Sendable {
        case locking
        case reading
        /// Reading without the lock, which could not be had: another process may have renewed what is wanted.
        case readingUnlocked(StorageFailure)
        /// Reading without the lock, while the server is to be left alone.
        case looking
        /// Storing what an earlier flight could not.
        case catchingUp
        /// Writing down that the refresh token is about to leave.
        case marking(RefreshMachine.Record)
        case sending
        /// Waiting to send the same refresh token again.
        case waitingToRepeat
        /// Writing the refresh token of an unchecked answer down.
        case keeping(RefreshMachine.Record)
        case checking
        case storing(RefreshMachine.Record)
        /// Waiting to store once more what could not be stored.
        case waitingToStore(RefreshMachine.Record)
        /// Taking the mark back after a failure that ends the flight.
        case unmarking(SignInError, RefreshMachine.Record)
        /// Writing down what is left of an answer that failed a check.
        case rejecting(SignInError, RefreshSuccessor<RefreshMachine.RefreshToken>, RefreshMachine.Record)
        /// Removing what is stored, since the server refused it.
        case removing(SignInError, SessionEnd)
        /// Giving back what came when the session had ended.
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
