public import Ostiary

/// The reason a call to a Zephr site failed.
///
/// It holds no session, no key, no address, and no text of a URL or a response.
public struct ZephrError: Error, Sendable, Hashable {
    /// The cause of an error.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The user closed the browser, or the task was cancelled.
        case cancelled
        /// Another sign-in is in the browser already.
        case alreadyInProgress
        /// The page could not be presented.
        case presentationFailed
        /// No response came within the time limit.
        case timedOut
        /// The redirect is not one that this app takes.
        case mismatch(SignInError.Check)
        /// The redirect's members do not make one of the three outcomes; the text names the one that is wrong.
        case illegalOutcome(String)
        /// The user denied access at the provider, or the provider failed; the code is the site's, if it sent one.
        case refused(ZephrFailureCode?)
        /// The site does not know the social provider.
        case unknownProvider
        /// The site did not say where the social provider's page is: it is not set up, most likely.
        case providerNotConfigured
        /// The page to open is not on the provider's or the site's host, or not https.
        case untrustedPage
        /// The site did not confirm the session that the redirect brought.
        case sessionNotConfirmed
        /// Another user signed in than the app expected.
        case otherAccount
        /// The site refuses the request: an attribute is missing, or the password is too weak.
        case badRequest
        /// The user is already registered.
        case userAlreadyExists
        /// The site does not take addresses of this domain.
        case emailDomainRefused
        /// No user has this address.
        case userNotFound
        /// The password is wrong.
        case wrongPassword
        /// The user must first confirm the address, with the link in a message.
        case emailVerificationRequired
        /// The registration was finished or refused before: sign in again.
        case registrationEnded
        /// The session has ended: sign in again.
        case sessionExpired
        /// The site does not have the requested object.
        case notFound
        /// Too many tries: wait for `retryAfter`, if it is there.
        case rateLimited
        /// The site answered with a failure of its own.
        case server(status: Int)
        /// The site's response contradicts its documentation; the text names the part.
        case malformed(String)
        /// No response came.
        case transport(TransportFailure)
        /// The session could not be kept or read.
        case storage(StorageFailure)
        /// The app or its configuration is wrong; the text is a sentence that names the fix.
        case configuration(String)
    }

    /// The cause of the error.
    public var reason: Reason
    /// The time to wait.
    public var retryAfter: Duration?

    /// Makes an error.
    public init(_ reason: Reason, retryAfter: Duration? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// The action that may resolve the error.
    public var recovery: SignInError.Recovery {
        switch reason {
        case .cancelled, .alreadyInProgress, .timedOut, .rateLimited, .storage(.locked), .wrongPassword, .badRequest,
            .emailVerificationRequired:
            .retry
        case .transport(.insecureURL), .transport(.redirectRefused), .transport(.invalidRequest): .fixConfiguration
        case .transport: .retry
        case .server(let status): status >= 500 ? .retry : .none
        case .mismatch, .illegalOutcome, .refused, .sessionNotConfirmed, .otherAccount, .registrationEnded,
            .sessionExpired, .userAlreadyExists:
            .signInAgain
        case .presentationFailed, .unknownProvider, .providerNotConfigured, .untrustedPage, .configuration:
            .fixConfiguration
        case .emailDomainRefused, .userNotFound, .notFound, .malformed, .storage: .none
        }
    }
}

extension ZephrError: PresentableError {
    /// The next step of the user.
    public var advice: SignInAdvice {
        switch reason {
        case .cancelled, .transport(.cancelled): .nothing
        case .timedOut: .answerSooner
        case .alreadyInProgress: .finishOther
        case .storage(.locked): .unlock
        case .emailDomainRefused: .askForAccess
        case .refused(let code) where code == .accessDenied: .askForAccess
        case .transport where recovery == .retry: .connect
        default: SignInAdvice(recovery)
        }
    }
}

/// The site's code for a failed sign-in, if it is well-formed: letters, digits and `_.-`, at most 64.
///
/// Any other `message` is dropped: an attacker can write any text into a URL.
public struct ZephrFailureCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The word as it was sent.
    public let rawValue: String

    /// Takes a code; `nil` for a text that does not match `^[A-Za-z0-9_.-]{1,64}$`.
    public init?(rawValue: String) {
        let isWord = rawValue.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_.-".utf8.contains($0)
            }
        }
        guard isWord, (1...64).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    /// The word.
    public var description: String { rawValue }

    /// The user denied access.
    public static let accessDenied = Self(rawValue: "access_denied")
}
