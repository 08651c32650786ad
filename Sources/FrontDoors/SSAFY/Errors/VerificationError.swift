public import Ostiary

/// The reason a user was not verified.
///
/// It holds no code, no verifier and no text from a URL: a ``code`` and a ``requestID`` have passed their patterns, and
/// a `message` is never read.
public struct VerificationError: Error, Sendable, Hashable {
    /// The cause of an error.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The user cancelled or denied consent, or the task was cancelled.
        case cancelled
        /// Another verification is in the browser already.
        case alreadyInProgress
        /// The page could not be presented.
        case presentationFailed
        /// No response came within the time limit.
        case timedOut
        /// The callback, or the backend's request, was refused for security.
        case mismatch(SignInError.Check)
        /// The callback has neither a code nor an error.
        case missingCode
        /// The service or the backend refused; the error's code gives the reason.
        case refused
        /// The verification token was refused by the backend, or the code by the service: start again.
        case tokenInvalid
        /// Too many tries: wait for `retryAfter`, if it is there.
        case rateLimited
        /// The backend does not take requests from here: a guard that looks for a page's `Origin` refuses every app.
        case forbidden
        /// The member belongs to an account with another sign-in method.
        case conflict
        /// The backend, or the service behind it, could not be reached or failed: the same call may succeed later.
        case unavailable
        /// The backend's response violates the contract; the text names the part.
        case invalidAnswer(String)
        /// The app or its configuration is wrong; the text is a sentence that names the fix.
        case configuration(String)
        /// The pending verification or the record could not be kept or read.
        case storage(StorageFailure)
    }

    /// The cause of the error.
    public var reason: Reason
    /// The service's or the backend's own code.
    public var code: VerificationErrorCode?
    /// The request's identifier, for support.
    public var requestID: VerificationRequestID?
    /// The time to wait.
    public var retryAfter: Duration?

    /// Makes an error.
    public init(
        _ reason: Reason,
        code: VerificationErrorCode? = nil,
        requestID: VerificationRequestID? = nil,
        retryAfter: Duration? = nil
    ) {
        self.reason = reason
        self.code = code
        self.requestID = requestID
        self.retryAfter = retryAfter
    }

    /// The action that may resolve the error.
    public var recovery: SignInError.Recovery {
        switch reason {
        case .cancelled, .timedOut, .alreadyInProgress, .rateLimited, .unavailable, .storage(.locked): .retry
        case .mismatch, .missingCode, .tokenInvalid, .conflict: .signInAgain
        case .presentationFailed, .configuration, .forbidden: .fixConfiguration
        case .refused where code == .invalidRequest: .fixConfiguration
        case .refused, .invalidAnswer, .storage: .none
        }
    }
}

extension VerificationError: PresentableError {
    /// The next step of the user.
    public var advice: SignInAdvice {
        switch reason {
        case .cancelled: .nothing
        case .timedOut: .answerSooner
        case .alreadyInProgress: .finishOther
        case .storage(.locked): .unlock
        default: SignInAdvice(recovery)
        }
    }

    /// The service's or the backend's identifier of the request.
    public var supportReference: String? { requestID?.rawValue }
}

extension VerificationError: CustomStringConvertible {
    /// A sentence for a developer; it holds no secret and no text from a URL.
    public var description: String {
        sentence + (code.map { " (\($0))" } ?? "") + (requestID.map { " [request \($0)]" } ?? "")
    }

    private var sentence: String {
        switch reason {
        case .cancelled: "The verification was cancelled."
        case .alreadyInProgress: "Another verification is already open in the browser."
        case .presentationFailed: "The verification page could not be opened."
        case .timedOut: "The user did not finish the verification in time."
        case .mismatch(let check): SignInError(.redirect, .mismatch(check)).message
        case .missingCode: "The callback has neither a code nor an error."
        case .refused: "The verification was refused."
        case .tokenInvalid: "The verification token or its code was refused."
        case .rateLimited: "The backend received too many attempts: try again later."
        case .forbidden: "The backend does not accept requests from this app."
        case .conflict: "The member belongs to an account with another sign-in method."
        case .unavailable: "The backend, or the service behind it, could not be reached or failed."
        case .invalidAnswer(let part): "The backend's response does not match the contract: \(part)."
        case .configuration(let sentence): sentence
        case .storage(let failure): SignInError(.storage, .storage(failure)).message
        }
    }
}
