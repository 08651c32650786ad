#if canImport(SwiftUI)
    /// A failure, as an app presents it to the user.
    ///
    /// It contains no secret.
    public struct SignInFailure: Error, Sendable, Hashable {
        /// The occasion of a failure.
        public enum Occasion: String, Sendable, Hashable, CaseIterable {
            /// The user signed in.
            case signIn
            /// The app looked for a stored session.
            case restore
            /// The user signed out.
            case signOut
            /// The provider ended the session while the user did something else.
            case sessionEnd
        }

        /// The advice for the user.
        public enum Advice: String, Sendable, Hashable, CaseIterable {
            /// No message: the user closed the page.
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
            /// Ask an administrator for access.
            case askForAccess
            /// Report the failure to the app's developer.
            case tellMaker
            /// Sign in again later; nothing else helps.
            case giveUp
        }

        /// The occasion of the failure.
        public var occasion: Occasion
        /// The advice for the user.
        public var advice: Advice
        /// The server's identifier of the request, which the server's support asks for.
        public var requestID: String?
        /// A description for developers.
        public var details: String

        /// Reads an error of this package, of a front door, or of any other code.
        public init(_ error: any Error, _ occasion: Occasion) {
            self.occasion = occasion
            if let error = error as? any PresentableError {
                advice = error.advice
                requestID = error.requestID
                details = "\(error)"
            } else {
                advice = error is CancellationError ? .nothing : .giveUp
                // The description of any other error may contain secrets.
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
