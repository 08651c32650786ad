#if canImport(SwiftUI)
    public import Ostiary

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
        public typealias Advice = SignInAdvice

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
                requestID = error.supportReference
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
