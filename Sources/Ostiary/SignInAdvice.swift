public import OstiaryOAuth

/// The next step of an app's user after an error.
///
/// The views of `OstiarySwiftUI` have a sentence for each, in six languages.
public enum SignInAdvice: String, Sendable, Hashable, CaseIterable {
    /// None, and nothing to report: the user closed the page.
    case nothing
    /// Try again.
    case tryAgain
    /// Connect to a network and try again.
    case connect
    /// Try again and respond within the time limit.
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

    /// Takes the step that follows from the action that may resolve an error.
    public init(_ recovery: SignInError.Recovery) {
        switch recovery {
        case .retry: self = .tryAgain
        case .signInAgain: self = .signInAgain
        case .fixConfiguration: self = .tellMaker
        case .none: self = .giveUp
        }
    }
}
