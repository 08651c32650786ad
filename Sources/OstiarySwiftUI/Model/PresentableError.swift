#if canImport(SwiftUI)
    public import Ostiary

    /// An error that a ``SignInModel`` can present to the user.
    ///
    /// A front door's own error conforms by its `recovery`. Its description must contain no secret.
    public protocol PresentableError: Error {
        /// The remedy for the error.
        var recovery: SignInError.Recovery { get }
        /// The advice for the user; by default, the advice for ``recovery``.
        var advice: SignInFailure.Advice { get }
        /// The server's identifier of the failed request; `nil` by default.
        var requestID: String? { get }
    }

    extension PresentableError {
        /// The advice for the recovery.
        public var advice: SignInFailure.Advice { SignInFailure.Advice(recovery) }
        /// No identifier.
        public var requestID: String? { nil }
    }

    extension SignInFailure.Advice {
        /// Makes the advice for the user when nothing but the app's recovery is known.
        public init(_ recovery: SignInError.Recovery) {
            switch recovery {
            case .retry: self = .tryAgain
            case .signInAgain: self = .signInAgain
            case .fixConfiguration: self = .tellMaker
            case .none: self = .giveUp
            }
        }
    }

    extension SignInError: PresentableError {
        /// The advice for the user.
        public var advice: SignInFailure.Advice {
            switch reason {
            case .cancelled, .transport(.cancelled): .nothing
            case .timedOut: .answerSooner
            case .alreadyInProgress: .finishOther
            case .storage(.locked): .unlock
            case .refused(let error) where error.code == .accessDenied: .askForAccess
            case .transport where recovery == .retry: .connect
            default: SignInFailure.Advice(recovery)
            }
        }
    }
#endif
