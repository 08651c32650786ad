public import OstiaryOAuth

/// An error in the terms that an app acts on.
public enum LogtoFailure: Sendable, Hashable {
    /// The user closed the browser, or the task was cancelled.
    case userCancelled
    /// Another sign-in is open.
    case alreadyInProgress
    /// The page could not be presented.
    case presentationFailed
    /// The user took too long.
    case timeout
    /// The redirect has another URI, or does not have the form of a response.
    case callbackMismatch
    /// The redirect belongs to another sign-in.
    case stateMismatch
    /// Another issuer answered.
    case issuerMismatch
    /// Logto answered the sign-in with an error.
    case authorizationError(OAuthError)
    /// The redirect has neither a code nor an error.
    case missingCode
    /// Logto refused a code or a refresh, and the session goes on.
    case tokenError(OAuthError)
    /// Logto has ended the session.
    case sessionExpired
    /// Logto does not know the app.
    case clientInvalid
    /// There is nothing to renew tokens with: sign in.
    case noRefreshToken
    /// The ID token failed a check.
    case idTokenInvalid(SignInError.Check)
    /// The tenant's metadata or keys could not be read.
    case discoveryFailed
    /// Logto limits the rate of requests, with a time to wait if it stated one.
    case rateLimited(retryAfter: Duration?)
    /// No response came.
    case network(TransportFailure)
    /// Logto failed, or its response was invalid.
    case server(status: Int?)
    /// The organization does not admit the user or the app; the session is unaffected.
    case insufficientOrganizationAccess(OAuthError)
    /// The session could not be kept or read.
    case storageFailed(StorageFailure)
    /// The app's configuration is wrong.
    case configuration(String)

    /// The app requests an organization's token, and its configuration lacks the scope for them.
    static let missingOrganizationsScope = SignInError(
        .refresh,
        .configuration("Add UserScope.organizations to the scopes: organization tokens need it from the sign-in on.")
    )
    /// The app requests a token for an API that its configuration does not name.
    static let unknownResource = SignInError(
        .refresh,
        .configuration("Add the resource to the configuration: Logto gives tokens for those that the sign-in named.")
    )
}

extension LogtoFailure {
    /// Reads an error.
    public init(_ error: SignInError) {
        switch error.reason {
        case .cancelled: self = .userCancelled
        case .alreadyInProgress: self = .alreadyInProgress
        case .timedOut: self = .timeout
        case .presentation(.associatedDomainMissing): self = .configuration(error.message)
        case .presentation: self = .presentationFailed
        case .storage(let failure): self = .storageFailed(failure)
        case .signInRequired, .keyLost, .stepUpRequired: self = .noRefreshToken
        case .server(status: 429): self = .rateLimited(retryAfter: error.retryAfter)
        case .configuration(let sentence): self = .configuration(sentence)
        case .unsupported(let feature): self = .configuration(feature)
        case _ where error.stage == .discovery || error.stage == .keys: self = .discoveryFailed
        case .mismatch(let check): self.init(check, at: error.stage)
        case .refused(let refusal): self.init(refusal, error)
        case .server(let status): self = .server(status: status)
        case .transport(let failure): self = error.stage == .authorization ? .presentationFailed : .network(failure)
        case .malformed:
            self = error.stage == .redirect ? .missingCode : .server(status: nil)
        @unknown default: self = .server(status: nil)
        }
    }

    private init(_ check: SignInError.Check, at stage: SignInError.Stage) {
        switch (stage, check) {
        case (.identity, .issuer), (.redirect, .issuer): self = .issuerMismatch
        case (.redirect, .state): self = .stateMismatch
        case (.redirect, _), (.endSession, _): self = .callbackMismatch
        default: self = .idTokenInvalid(check)
        }
    }

    private init(_ refusal: OAuthError, _ error: SignInError) {
        switch (error.stage, refusal.code) {
        case (_, .invalidClient): self = .clientInvalid
        case (.refresh, .invalidGrant): self = .sessionExpired
        case (.refresh, .accessDenied), (.refresh, .insufficientScope): self = .insufficientOrganizationAccess(refusal)
        case (.redirect, _), (.authorization, _): self = .authorizationError(refusal)
        default: self = .tokenError(refusal)
        }
    }
}

extension SignInError {
    /// The error in the terms that an app of Logto's acts on.
    public var logtoFailure: LogtoFailure { LogtoFailure(self) }
}
