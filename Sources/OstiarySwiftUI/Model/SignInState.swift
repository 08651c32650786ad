#if canImport(SwiftUI)
    /// The state of an app's sign-in.
    public enum SignInState<Account: Sendable>: Sendable {
        /// The reliability of the account's data.
        public enum Freshness: Sendable, Hashable {
            /// There is no sign that the data is out of date.
            case current
            /// The session could not be refreshed for now, without a network for example: show the data that is
            /// available.
            case stale
        }

        /// The app has not looked for a stored session yet, or is looking.
        ///
        /// Show neither the sign-in screen nor the app's content.
        case restoring
        /// No user is signed in.
        case signedOut
        /// The sign-in page is in front of the user.
        case signingIn
        /// A user is signed in.
        case signedIn(Account, Freshness)
        /// The session is being ended.
        case signingOut
        /// The device is locked, and so is the store: whether a user is signed in is not known yet.
        ///
        /// The model looks again when the app becomes active.
        case locked
        /// No user is signed in, because the last attempt failed.
        case failed(SignInFailure)

        /// Whether an action is under way that the user waits for.
        public var isBusy: Bool {
            switch self {
            case .restoring, .signingIn, .signingOut: true
            case .signedOut, .signedIn, .locked, .failed: false
            }
        }

        /// The account that is signed in; `nil` without one.
        public var account: Account? { if case .signedIn(let account, _) = self { account } else { nil } }
    }

    extension SignInState: Equatable where Account: Equatable {}
#endif
