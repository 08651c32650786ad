import OstiaryOAuth

extension RefreshMachine {
    /// One refresh in progress, from taking the lock to the answer.
    struct Refresh: Sendable {
        var phase = Phase.locking
        var holdsLock = false
        /// The lock was given back in the middle: nothing may be sent before it is taken again.
        var lostLock = false
        /// The target of the wanted access token.
        var target: AccessTokenTarget?
        /// The stored value, as last read by this refresh.
        var stored: Record?
        /// The refresh token that is sent.
        var presented: Secret?
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
        var conflicts = 0
    }
}

extension RefreshMachine.Refresh {
    /// The step in progress.
    enum Phase: Sendable {
        case locking
        case reading
        /// Reading without the lock, which was unavailable: another process may have refreshed the tokens.
        case readingUnlocked(StorageFailure)
        /// Reading without the lock, while the server is to be left alone.
        case rereading
        /// Storing the tokens of an earlier refresh.
        case storingUnsaved
        /// Writing down that the refresh token is about to leave.
        case marking(RefreshMachine.Record)
        case sending
        /// Waiting to send the same refresh token again.
        case waitingToRepeat
        /// Storing the refresh token of an unchecked response.
        case storingCandidate(RefreshMachine.Record)
        case checking
        case storing(RefreshMachine.Record)
        /// Waiting for another attempt to store tokens.
        case waitingToStore(RefreshMachine.Record)
        /// Removing the mark after a failure that ends the refresh.
        case removingMark(SignInError, RefreshMachine.Record)
        /// Storing the refresh token of a response that failed a check.
        case rejecting(SignInError, RefreshSuccessor, RefreshMachine.Record)
        /// Removing the stored value, since the server rejected its refresh token.
        case removing(SignInError, Session.End)
        /// Revoking tokens that arrived after the session had ended.
        case revoking

        var isLocking: Bool { if case .locking = self { true } else { false } }
        var isRereading: Bool { if case .rereading = self { true } else { false } }

        /// Whether the refresh token has yet to leave.
        var isBeforeSending: Bool {
            switch self {
            case .reading, .readingUnlocked, .storingUnsaved, .marking, .waitingToRepeat: true
            default: false
            }
        }

        /// Whether new tokens may be on their way, or be here and stored nowhere.
        var mayBringTokens: Bool {
            switch self {
            case .sending, .storingCandidate, .checking, .storing, .waitingToStore, .revoking: true
            default: false
            }
        }
    }
}
