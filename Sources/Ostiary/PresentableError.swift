public import OstiaryOAuth

/// An error that an app can report to its user, without interpreting it.
///
/// `SignInError` conforms, and so does the error of each front door. An error type of the app's own conforms by its
/// `recovery`. Its description must contain no secret.
public protocol PresentableError: Error {
    /// The action that may resolve the error.
    var recovery: SignInError.Recovery { get }
    /// The next step of the user; by default the one that follows from ``recovery``.
    var advice: SignInAdvice { get }
    /// The text that the user gives to the server's support: its identifier of the request that failed; by default
    /// `nil`.
    var supportReference: String? { get }
}

extension PresentableError {
    /// The step that follows from the recovery.
    public var advice: SignInAdvice { SignInAdvice(recovery) }
    /// None.
    public var supportReference: String? { nil }
}

extension SignInError: PresentableError {
    /// The next step of the user.
    public var advice: SignInAdvice {
        switch reason {
        case .cancelled, .transport(.cancelled): .nothing
        case .timedOut: .answerSooner
        case .alreadyInProgress: .finishOther
        case .storage(.locked): .unlock
        case .refused(let error) where error.code == .accessDenied: .askForAccess
        case .transport where recovery == .retry: .connect
        default: SignInAdvice(recovery)
        }
    }

    /// The server's identifier of the request that failed, `SignInError.requestID`.
    public var supportReference: String? { requestID }
}

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
