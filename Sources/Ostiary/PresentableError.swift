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
    /// The text that the user gives to the server's support: its identifier of the request that failed; by default `nil`.
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
