#if canImport(SwiftUI)
    /// What an app tells a person when something did not work.
    ///
    /// It holds no secret.
    public struct SignInFailure: Error, Sendable, Hashable {
        /// What the person was doing.
        public enum Occasion: String, Sendable, Hashable, CaseIterable {
            /// They signed in.
            case signIn
            /// The app looked for their session.
            case restore
            /// They signed out.
            case signOut
            /// They did something else, and the provider has ended their session.
            case sessionEnd
        }

        /// What the person can do.
        public enum Advice: String, Sendable, Hashable, CaseIterable {
            /// Nothing is said: they closed the page themselves.
            case nothing
            /// Try again.
            case tryAgain
            /// Connect to a network and try again.
            case connect
            /// Try again and take less time.
            case answerSooner
            /// End the other sign-in first.
            case finishOther
            /// Sign in again.
            case signInAgain
            /// Unlock the device.
            case unlock
            /// Ask whoever decides who may sign in.
            case askForAccess
            /// Tell the maker of the app.
            case tellMaker
            /// Sign in again later; nothing else helps.
            case giveUp
        }

        /// What the person was doing.
        public var occasion: Occasion
        /// What the person can do.
        public var advice: Advice
        /// What the server calls the request: its support asks for it.
        public var requestID: String?
        /// A sentence for a developer.
        public var details: String

        /// Reads an error of this package's, of a front door's, or of anybody's.
        public init(_ error: any Error, _ occasion: Occasion) {
            self.occasion = occasion
            if let error = error as? any PresentableError {
                advice = error.advice
                requestID = error.requestID
                details = "\(error)"
            } else {
                advice = error is CancellationError ? .nothing : .giveUp
                // What a stranger's error says may hold anything.
                details = "\(type(of: error))"
            }
        }

        /// Whether the same attempt may succeed.
        public var canRetry: Bool {
            switch advice {
            case .tryAgain, .connect, .answerSooner, .signInAgain: true
            case .nothing, .finishOther, .unlock, .askForAccess, .tellMaker, .giveUp: false
            }
        }
    }
#endif
