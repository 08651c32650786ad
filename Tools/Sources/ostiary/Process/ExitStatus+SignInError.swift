package import OstiaryOAuth

extension ExitStatus {
    /// The status for an error, by the party that must act.
    package init(of error: SignInError) {
        self =
            switch error.reason {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .alreadyInProgress: .other
            case .refused where error.endsSession: .signInRequired
            case .refused(let refusal): Self.status(of: refusal, at: error.stage)
            // A failing server does not mean a wrong issuer URL; one without metadata there does.
            case .server(let status) where status >= 500 || status == 429: .server
            // A server rejects a registration with a missing or wrong initial access token.
            case .server(401), .server(403):
                error.stage == .registration ? .configuration : Self.status(at: error.stage)
            case .server, .malformed: Self.status(at: error.stage)
            case .mismatch: .refusedForSecurity
            case .transport(let failure): Self.status(of: failure, at: error.stage)
            case .unsupported, .configuration: .configuration
            case .presentation(.associatedDomainMissing): .configuration
            case .presentation: .other
            case .signInRequired, .keyLost, .stepUpRequired: .signInRequired
            case .storage: .storage
            @unknown default: .other
            }
    }

    private static func status(at stage: SignInError.Stage) -> ExitStatus {
        stage == .discovery ? .configuration : .server
    }

    private static func status(of refusal: OAuthError, at stage: SignInError.Stage) -> ExitStatus {
        switch refusal.code {
        case .accessDenied: .cancelled
        // The user did not open the page on the other device in time.
        case .expiredToken: .timedOut
        // The token that opens the registration, or that manages it; elsewhere it is the server's own.
        case .invalidToken where stage == .registration: .configuration
        // A code that was not taken: no session ended, the sign-in failed.
        case .invalidGrant: .server
        case .loginRequired, .interactionRequired, .consentRequired: .signInRequired
        case .invalidClient, .unauthorizedClient, .invalidScope, .invalidRequest, .unsupportedGrantType,
            .unsupportedResponseType, .unsupportedTokenType, .insufficientScope,
            .invalidTarget, .invalidRedirectURI, .invalidClientMetadata, .invalidSoftwareStatement,
            .unapprovedSoftwareStatement:
            .configuration
        case .insufficientUserAuthentication: .signInRequired
        default: .server
        }
    }

    private static func status(of failure: TransportFailure, at stage: SignInError.Stage) -> ExitStatus {
        switch failure {
        case .unreachable, .unknownHost, .tls, .interrupted, .notHTTP: .network
        case .timedOut: .timedOut
        case .tooLarge, .redirectRefused: stage == .discovery ? .configuration : .server
        // The metadata names an endpoint that nothing may be sent to, or that takes no request of this kind.
        case .insecureURL, .invalidRequest: .configuration
        case .cancelled: .cancelled
        }
    }
}
