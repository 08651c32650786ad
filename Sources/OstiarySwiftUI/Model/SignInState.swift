#if canImport(SwiftUI)
    /// Where an app and the person in front of it are.
    public enum SignInState<Account: Sendable>: Sendable {
        /// How far what is shown can be relied on.
        public enum Freshness: Sendable, Hashable {
            /// Nothing speaks against it.
            case current
            /// The session could not be renewed for now, without a network for example: show what is there.
            case stale
        }

        /// Nobody has looked yet, or somebody looks now, whether a session is stored.
        ///
        /// Show neither the door nor the house.
        case restoring
        /// Nobody is signed in.
        case signedOut
        /// The sign-in page is in front of the person.
        case signingIn
        /// Somebody is signed in.
        case signedIn(Account, Freshness)
        /// The session is being ended.
        case signingOut
        /// The device is locked, and so is the store: whether somebody is signed in cannot be known yet.
        ///
        /// It is looked at again when the app comes to the front.
        case locked
        /// Nobody is signed in, and the last attempt says why.
        case failed(SignInFailure)

        /// Whether something is under way that the person waits for.
        public var isBusy: Bool {
            switch self {
            case .restoring, .signingIn, .signingOut: true
            case .signedOut, .signedIn, .locked, .failed: false
            }
        }

        /// Who is signed in.
        public var account: Account? { if case .signedIn(let account, _) = self { account } else { nil } }
    }

    extension SignInState: Equatable where Account: Equatable {}
#endif
