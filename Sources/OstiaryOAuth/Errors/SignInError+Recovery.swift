import HTTPTypes

extension SignInError {
    /// The action that may resolve an error.
    public enum Recovery: String, Sendable, Hashable {
        /// The same call may succeed later; nothing was lost.
        case retry
        /// The user must sign in (again).
        case signInAgain
        /// The app's or the server's configuration must change.
        case fixConfiguration
        /// No action of the app.
        case none
    }

    /// The action that may resolve the error.
    public var recovery: Recovery {
        switch reason {
        case .cancelled, .timedOut, .alreadyInProgress: .retry
        // A resource server rejects one access token, not the session; another token may be accepted.
        case .refused(let error) where error.code == .invalidToken && [.userInfo, .resource].contains(stage): .retry
        // Not the response that ends a grant (RFC 6749 section 5.2): the session goes on.
        case .refused(let error) where stage == .refresh && error.code == .invalidGrant && !error.endsSession: .retry
        case .refused(let error): error.recovery
        case .server: isOfBusyServer ? .retry : stage == .discovery ? .fixConfiguration : .none
        case .mismatch(.metadataIssuer): .fixConfiguration
        // The clock of the device, or of the server, can be put right.
        case .mismatch(.issuedAt), .mismatch(.expiry), .mismatch(.notBefore): .retry
        case .mismatch(.state), .mismatch(.nonce), .mismatch(.redirectURI), .mismatch(.authenticationTime),
            .mismatch(.authenticationContext):
            .signInAgain
        case .mismatch: .none
        case .malformed: stage == .discovery ? .fixConfiguration : .none
        case .transport(.insecureURL), .transport(.redirectRefused), .transport(.invalidRequest): .fixConfiguration
        case .transport: .retry
        case .presentation(.associatedDomainMissing): .fixConfiguration
        case .presentation: .retry
        case .unsupported, .configuration: .fixConfiguration
        case .signInRequired, .keyLost, .stepUpRequired: .signInAgain
        case .storage(.locked), .storage(.cancelled), .storage(.notRecognized): .retry
        case .storage(.notEntitled): .fixConfiguration
        case .storage(.invalidated): .signInAgain
        case .storage: .none
        }
    }

    /// Whether the server reported that it cannot respond now.
    package var isOfBusyServer: Bool {
        switch reason {
        case .server(let status): status >= 500 || status == 429
        case .refused(let error): [.serverError, .temporarilyUnavailable].contains(error.code)
        default: false
        }
    }

    /// Whether the server has ended the session by its own error response.
    ///
    /// That is `invalid_grant` at the top level of a response with a status of 400 to 499 (RFC 6749 section 5.2), or a
    /// code of ``ServerManners/sessionEndingCodes``. Only such an error and the user's own sign-out may delete tokens.
    public var endsSession: Bool {
        guard stage == .refresh, case .refused(let error) = reason else { return false }
        return error.endsSession
    }
}

extension HTTPResponse.Status {
    /// Whether the server reports that it cannot respond now.
    package var isOfBusyServer: Bool { self == .tooManyRequests || kind == .serverError }
}

extension OAuthError {
    fileprivate var recovery: SignInError.Recovery {
        switch code {
        case _ where consequence == .endsSession: .signInAgain
        case .invalidGrant, .loginRequired, .interactionRequired, .consentRequired, .invalidToken: .signInAgain
        case .accessDenied, .serverError, .temporarilyUnavailable: .retry
        case .invalidClient, .unauthorizedClient, .invalidRequest, .invalidScope, .insufficientScope,
            .unsupportedGrantType, .unsupportedResponseType, .unsupportedTokenType:
            .fixConfiguration
        default: .none
        }
    }
}
