/// The one error that this package throws: where it happened, and what was wrong.
///
/// It never holds a token, a code, a verifier or a secret. ``recovery`` says what can be done about it.
public struct SignInError: Error, Sendable, Hashable {
    /// Where on the way to a session, or in one, it happened.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Reading the authorization server's metadata.
        case discovery
        /// Registering a client.
        case registration
        /// Building the authorization request, and showing it to a person.
        case authorization
        /// Asking for the codes of a device, and waiting for the person (RFC 8628).
        case device
        /// Reading the redirect that comes back.
        case redirect
        /// Trading a grant for tokens.
        case token
        /// Reading the keys that the issuer signs with.
        case keys
        /// Checking an ID token.
        case identity
        /// Asking for claims about the person.
        case userInfo = "userinfo"
        /// Renewing an access token.
        case refresh
        /// Asking what a token is.
        case introspection
        /// Revoking a token.
        case revocation
        /// Ending the person's session at the provider.
        case endSession
        /// Asking a resource server for something.
        case resource
        /// Keeping or reading a session.
        case storage
    }

    /// What was wrong.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The person closed the browser, or the task was cancelled.
        case cancelled
        /// Nobody answered within the time given.
        case timedOut
        /// The server answered with an OAuth error code (RFC 6749 sections 4.1.2.1 and 5.2).
        case refused(OAuthError)
        /// The server answered with a failure status and no OAuth error.
        case server(status: Int)
        /// A value that had to match did not: the answer was refused for security.
        case mismatch(Check)
        /// The answer did not have the form that its specification gives; the text names the part.
        case malformed(String)
        /// No answer came.
        case transport(TransportFailure)
        /// The server's metadata lacks what this needs; the text names it.
        case unsupported(String)
        /// The app or its configuration is wrong; the text is a sentence that names the fix.
        case configuration(String)
        /// There is no session, or it has ended, or it cannot be renewed.
        case signInRequired
        /// The key that the tokens are bound to is not on this device any more, such as after a restore from another
        /// device's backup: they cannot be used by anybody.
        case keyLost
        /// The session could not be kept or read.
        case storage(StorageFailure)
        /// The page could not be shown, or went away by itself.
        case presentation(PresentationFailure)
        /// Another sign-in of the same client is under way: one person is shown one page.
        case alreadyInProgress
        /// A resource server wants more of the person than this session can show (RFC 9470 section 3).
        case stepUpRequired(StepUpChallenge)
    }

    /// Where it happened.
    public var stage: Stage
    /// What was wrong.
    public var reason: Reason

    /// How long the server asks to be left alone, in seconds from its answer (RFC 9110 section 10.2.3).
    public var retryAfter: Double?

    /// What the server calls the request that failed: its support asks for it.
    ///
    /// It is the answer's `X-Request-Id` field, or else `request_id` beside the error; at most 100 printable characters.
    public var requestID: String?

    /// The values that a failed check compared, where both may be shown.
    ///
    /// It explains ``reason`` and takes no part in comparisons of errors.
    public internal(set) var evidence: Evidence?

    /// The server's own words where it named no error code; control characters removed, at most 500 characters.
    ///
    /// Values that the request carried are masked, as they are in ``OAuthError/description``.
    public var serverMessage: String?

    /// Makes an error.
    public init(_ stage: Stage, _ reason: Reason, retryAfter: Double? = nil, requestID: String? = nil) {
        self.stage = stage
        self.reason = reason
        self.retryAfter = retryAfter
        self.requestID = requestID
    }
}
