/// The error of a sign-in or a session: its stage and its reason.
///
/// It never holds a token, a code, a verifier or a secret. ``recovery`` names the action that may resolve it.
public struct SignInError: Error, Sendable, Hashable {
    /// The step of the sign-in or of the session in which the error occurred.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Reading the authorization server's metadata.
        case discovery
        /// Registering a client.
        case registration
        /// Building the authorization request, and presenting it to the user.
        case authorization
        /// Requesting the codes of a device, and waiting for the user (RFC 8628).
        case device
        /// Reading the redirect that comes back.
        case redirect
        /// Redeeming a grant for tokens.
        case token
        /// Reading the keys that the issuer signs with.
        case keys
        /// Checking an ID token.
        case identity
        /// Requesting claims about the user.
        case userInfo = "userinfo"
        /// Renewing an access token.
        case refresh
        /// Introspecting a token.
        case introspection
        /// Revoking a token.
        case revocation
        /// Ending the user's session at the provider.
        case endSession
        /// Asking a resource server for something.
        case resource
        /// Keeping or reading a session.
        case storage
    }

    /// The cause of the error.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The user closed the browser, or the task was cancelled.
        case cancelled
        /// No response came within the time limit.
        case timedOut
        /// The server answered with an OAuth error code (RFC 6749 sections 4.1.2.1 and 5.2).
        case refused(OAuthError)
        /// The server answered with a failure status and no OAuth error.
        case server(status: Int)
        /// A value that had to match did not: the response was rejected for security.
        case mismatch(Check)
        /// The response does not have the form that its specification requires; the text names the part.
        case malformed(String)
        /// No response came.
        case transport(TransportFailure)
        /// The server's metadata lacks a required member; the text names it.
        case unsupported(String)
        /// The app or its configuration is wrong; the text is a sentence that names the fix.
        case configuration(String)
        /// There is no session, it has ended, or it cannot be refreshed.
        case signInRequired
        /// The key that the tokens are bound to is no longer on this device, so that the tokens are unusable.
        ///
        /// This happens after a restore from another device's backup.
        case keyLost
        /// The session could not be kept or read.
        case storage(StorageFailure)
        /// The page could not be presented, or closed without the user or the app.
        case presentation(SignInError.PresentationFailure)
        /// Another sign-in of the same client is in progress: a user sees one page at a time.
        case alreadyInProgress
        /// A resource server requires a stronger authentication than this session has (RFC 9470 section 3).
        case stepUpRequired(AuthenticateChallenge.StepUp)
    }

    /// The step in which the error occurred.
    public var stage: Stage
    /// The cause of the error.
    public var reason: Reason

    /// The pause that the server requests, counted from its response (RFC 9110 section 10.2.3).
    public var retryAfter: Duration?

    /// The server's identifier of the failed request, for the server's support.
    ///
    /// It is the response's `X-Request-Id` field, or else `request_id` beside the error; at most 100 printable
    /// characters.
    public var requestID: String?

    /// The values that a failed check compared, if neither is secret.
    ///
    /// The evidence explains ``reason`` and takes no part in comparisons of errors.
    public internal(set) var evidence: Evidence?

    /// The server's own words where it named no error code; control characters removed, at most 500 characters.
    ///
    /// Values that the request carried are masked, as they are in ``OAuthError/description``.
    public var serverMessage: String?

    /// A sentence that names the cause of `signInRequired` or `timedOut`; `nil` for the general one.
    ///
    /// It explains ``reason`` and takes no part in comparisons of errors.
    package var detail: String?

    /// Whether the failure came before the request of its exchange, such as that of a client attestation.
    ///
    /// The server has then received no request of the exchange, or has rejected each with a status of 400 to 499. It takes
    /// no part in comparisons of errors.
    package var isUnsent = false

    /// Makes an error.
    public init(_ stage: Stage, _ reason: Reason, retryAfter: Duration? = nil, requestID: String? = nil) {
        self.stage = stage
        self.reason = reason
        self.retryAfter = retryAfter
        self.requestID = requestID
    }
}
