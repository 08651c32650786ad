public import Ostiary

/// An error in the terms of the vendor's document.
///
/// It holds no token, no code and no response body. ``recovery`` names the action that may resolve it.
@nonexhaustive
public enum LogiAuthError: Error, Sendable, Hashable {
    /// `LogiAuth.configure(_:)` was not called.
    case notConfigured
    /// The configuration cannot be used; the text is a sentence that names the fix.
    case invalidConfiguration(String)
    /// A start URL is not a whole https URL.
    case invalidAuthorizeURL
    /// A start URL has not exactly one `state`.
    case missingStateInStartURL
    /// The two start URLs differ in more than the host.
    case startURLPairMismatch
    /// The user closed the page, or the sign-in was cancelled.
    case userCancelled
    /// The redirect does not belong to this sign-in.
    case stateMismatch
    /// The redirect has neither a code nor an error.
    case missingCode
    /// The redirect was refused for security.
    case redirectRefused(SignInError.Check)
    /// The server refused in the redirect.
    case authorizationServerError(code: String, description: String?)
    /// The server issued no tokens; `status` is known when there is no `error`.
    case tokenExchangeFailed(status: Int?, error: LogiAuthRefusal?)
    /// There is no session that can be refreshed.
    case noRefreshToken
    /// No response came within the time limit.
    case handoffTimeout
    /// Another sign-in is in progress.
    case alreadyInProgress
    /// There is no ID token.
    case missingIdToken
    /// The ID token failed a check; the code is one of the vendor's, such as `nonce_mismatch`.
    case idTokenInvalid(code: String)
    /// The issuer's keys could not be read; the status is known when there was a response.
    case jwksFetchFailed(status: Int?)
    /// The page could not be presented.
    case webAuthSessionStartFailed
    /// No response came.
    case network(TransportFailure)
    /// The session could not be kept or read.
    case storageFailed(StorageFailure)
    /// Any other error.
    case failed(SignInError)
}

/// A refusal in the server's words.
public struct LogiAuthRefusal: Sendable, Hashable {
    /// The code, such as `invalid_grant`.
    public let code: String
    /// The server's description of the error, for developers.
    public let description: String?
    /// A page about it.
    public let uri: String?
    /// The server's identifier of the request, for its support.
    public let requestID: String?
    /// The pause that the server requests.
    public let retryAfter: Duration?
}

extension LogiAuthError {
    /// Converts an error into the vendor's terms.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - denial: The interpretation of `access_denied` in a redirect.
    public init(_ error: SignInError, denial: LogiConfiguration.Denial = .refusal) {
        self =
            switch (error.stage, error.reason) {
            case (_, .alreadyInProgress): .alreadyInProgress
            case (_, .cancelled): .userCancelled
            case (.authorization, .timedOut), (.device, .timedOut): .handoffTimeout
            case (_, .transport(.cancelled)): .userCancelled
            case (.keys, .transport), (.keys, .malformed): .jwksFetchFailed(status: nil)
            case (.keys, .server(let status)): .jwksFetchFailed(status: status)
            case (_, .transport(let failure)): .network(failure)
            case (_, .storage(let failure)): .storageFailed(failure)
            case (_, .presentation(.associatedDomainMissing)): .invalidConfiguration(error.message)
            case (_, .presentation): .webAuthSessionStartFailed
            case (_, .configuration(let sentence)): .invalidConfiguration(sentence)
            case (_, .signInRequired), (_, .keyLost): .noRefreshToken
            case (.redirect, _): Self.redirect(error, denial)
            case (.identity, _), (_, .mismatch(.idToken)): Self.identity(error)
            case (.token, .refused(let refusal)), (.refresh, .refused(let refusal)):
                .tokenExchangeFailed(status: nil, error: LogiAuthRefusal(refusal, of: error))
            case (.token, .server(let status)), (.refresh, .server(let status)):
                .tokenExchangeFailed(status: status, error: nil)
            default: .failed(error)
            }
    }

    private static func redirect(_ error: SignInError, _ denial: LogiConfiguration.Denial) -> LogiAuthError {
        switch error.reason {
        case .mismatch(.state): .stateMismatch
        case .mismatch(let check): .redirectRefused(check)
        case .refused(let refusal):
            refusal.code == .accessDenied && denial == .cancellation
                ? .userCancelled
                : .authorizationServerError(code: refusal.code.rawValue, description: refusal.description)
        case .malformed: .missingCode
        default: .failed(error)
        }
    }

    private static func identity(_ error: SignInError) -> LogiAuthError {
        switch error.reason {
        case .mismatch(.idToken): .missingIdToken
        case .mismatch(let check): .idTokenInvalid(code: code(of: check))
        default: .idTokenInvalid(code: "malformed")
        }
    }

    /// The vendor's code for a check of an ID token.
    private static func code(of check: SignInError.Check) -> String {
        switch check {
        case .algorithm, .signature, .critical: "bad_signature"
        case .key: "unknown_kid"
        case .issuer: "iss_mismatch"
        case .audience, .authorizedParty: "aud_mismatch"
        case .expiry: "expired"
        case .nonce: "nonce_mismatch"
        case .subject: "missing_claim"
        case .accessTokenHash: "at_hash_mismatch"
        default: "malformed"
        }
    }

    /// The action that may resolve the error.
    public var recovery: SignInError.Recovery {
        switch self {
        case .userCancelled, .handoffTimeout, .alreadyInProgress, .network, .storageFailed(.locked),
            .jwksFetchFailed(nil):
            .retry
        case .notConfigured, .invalidConfiguration, .invalidAuthorizeURL, .missingStateInStartURL,
            .startURLPairMismatch, .webAuthSessionStartFailed:
            .fixConfiguration
        case .stateMismatch, .noRefreshToken: .signInAgain
        case .tokenExchangeFailed(_, let error?):
            SignInError(.refresh, .refused(OAuthError(code: .init(rawValue: error.code)))).recovery
        case .tokenExchangeFailed(let status, nil), .jwksFetchFailed(let status):
            SignInError(.refresh, .server(status: status ?? 0)).recovery
        case .authorizationServerError(let code, _):
            SignInError(.redirect, .refused(OAuthError(code: .init(rawValue: code)))).recovery
        case .failed(let error): error.recovery
        case .missingCode, .redirectRefused, .missingIdToken, .idTokenInvalid, .storageFailed: .none
        }
    }

    /// The server's identifier of the failed request; `nil` when it sent none.
    public var requestID: String? {
        switch self {
        case .tokenExchangeFailed(_, let error): error?.requestID
        case .failed(let error): error.requestID
        default: nil
        }
    }
}

extension LogiAuthError: PresentableError {
    /// The next step of the user.
    public var advice: SignInAdvice {
        switch self {
        case .userCancelled, .network(.cancelled): .nothing
        case .handoffTimeout: .answerSooner
        case .alreadyInProgress: .finishOther
        case .storageFailed(.locked): .unlock
        case .network, .jwksFetchFailed(nil): .connect
        case .authorizationServerError(OAuthError.Code.accessDenied.rawValue, _): .askForAccess
        case .failed(let error): error.advice
        default: SignInAdvice(recovery)
        }
    }

    /// The server's identifier of the failed request.
    public var supportReference: String? { requestID }
}

extension LogiAuthRefusal {
    init(_ refusal: OAuthError, of error: SignInError) {
        code = refusal.code.rawValue
        description = refusal.description
        uri = refusal.uri
        requestID = error.requestID
        retryAfter = error.retryAfter
    }
}
