public import Ostiary

/// Why a call to a Zephr site did not do what it was for.
///
/// It holds no session, no key, no address and no text of a URL or an answer.
public struct ZephrError: Error, Sendable, Hashable {
    /// What was wrong.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The person closed the browser, or the task was cancelled.
        case cancelled
        /// Another sign-in is in the browser already.
        case alreadyInProgress
        /// The page could not be shown.
        case presentationFailed
        /// Nobody answered in time.
        case timedOut
        /// The redirect is not one that this app takes.
        case mismatch(SignInError.Check)
        /// The redirect's members do not make one of the three outcomes; the text names the one that is wrong.
        case illegalOutcome(String)
        /// The person said no at the provider, or something went wrong there; the code is the site's, if it sent one.
        case refused(ZephrFailureCode?)
        /// The site does not know the social provider.
        case unknownProvider
        /// The site did not say where the social provider's page is: it is not set up, most likely.
        case providerNotConfigured
        /// The page to open is not on the provider's or the site's host, or not https.
        case untrustedPage
        /// The site did not confirm the session that the redirect brought.
        case sessionNotConfirmed
        /// Somebody else signed in than was expected.
        case otherAccount
        /// The site refuses the request: an attribute is missing, or the password is too weak.
        case badRequest
        /// There is such a person already.
        case userAlreadyExists
        /// The site does not take addresses of this domain.
        case emailDomainRefused
        /// Nobody has this address.
        case userNotFound
        /// The password is wrong.
        case wrongPassword
        /// The person has to confirm the address first, by the link in a message.
        case emailVerificationRequired
        /// The registration was finished or refused before: sign in again.
        case registrationEnded
        /// The session has ended: sign in again.
        case sessionExpired
        /// There is no such thing at the site.
        case notFound
        /// Too many tries: wait for `retryAfter` seconds, if it is there.
        case rateLimited
        /// The site answered with a failure of its own.
        case server(status: Int)
        /// The site's answer is not what its documentation says; the text names the part.
        case malformed(String)
        /// No answer came.
        case transport(TransportFailure)
        /// The session could not be kept or read.
        case storage(StorageFailure)
        /// The app or its configuration is wrong; the text is a sentence that names the fix.
        case configuration(String)
    }

    /// What was wrong.
    public var reason: Reason
    /// How long to wait, in seconds.
    public var retryAfter: Double?

    /// Makes an error.
    public init(_ reason: Reason, retryAfter: Double? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// What can be done about it.
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

/// The site's word for a failed sign-in, as far as it is one: letters, digits and `_.-`, at most 64.
///
/// A `message` that is anything else is dropped: whoever makes a URL can write what they like into it.
public struct ZephrFailureCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The word as it was sent.
    public let rawValue: String

    /// Takes a word; `nil` for what does not match `^[A-Za-z0-9_.-]{1,64}$`.
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

    /// The person did not allow it.
    public static let accessDenied = Self(rawValue: "access_denied")
}
