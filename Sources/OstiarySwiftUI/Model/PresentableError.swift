#if canImport(SwiftUI)
    public import Ostiary

    /// An error that a ``SignInModel`` can tell a person about.
    ///
    /// A front door's own error becomes one by its `recovery`. Its description must hold no secret.
    public protocol PresentableError: Error {
        /// What can be done about it.
        var recovery: SignInError.Recovery { get }
        /// What the person can do; by default what follows from ``recovery``.
        var advice: SignInFailure.Advice { get }
        /// What the server calls the request that failed; by default nothing.
        var requestID: String? { get }
    }

    extension PresentableError {
        /// What follows from the recovery.
        public var advice: SignInFailure.Advice { SignInFailure.Advice(recovery) }
        /// Nothing.
        public var requestID: String? { nil }
    }

    extension SignInFailure.Advice {
        /// What a person can do when nothing more is known than what an app can.
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
        /// What the person can do.
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
