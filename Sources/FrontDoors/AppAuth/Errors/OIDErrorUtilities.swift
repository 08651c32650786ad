import Foundation
import Ostiary

/// Makes errors of AppAuth's domains, for user agents and for apps that report errors of their own.
public enum OIDErrorUtilities {
    /// An error of ``OIDGeneralErrorDomain``.
    public static func error(
        with code: OIDErrorCode,
        underlyingError: (any Error)?,
        description: String?
    ) -> any Error {
        NSError(
            domain: OIDGeneralErrorDomain,
            code: code.rawValue,
            userInfo: information(description, underlying: underlyingError)
        )
    }

    /// An error of an OAuth domain, made of the parameters of an error response.
    ///
    /// - Parameters:
    ///   - domain: ``OIDOAuthAuthorizationErrorDomain``, ``OIDOAuthTokenErrorDomain`` or
    ///     ``OIDOAuthRegistrationErrorDomain``.
    ///   - errorResponse: The parameters; a response without a textual `error` is a client error.
    ///   - underlyingError: The cause, kept in `userInfo`.
    /// - Returns: An `NSError` of the domain.
    public static func oAuthError(
        withDomain domain: String,
        oAuthResponse errorResponse: [AnyHashable: Any],
        underlyingError: (any Error)?
    ) -> any Error {
        let code = errorResponse[OIDOAuthErrorFieldError] as? String
        let description = errorResponse[OIDOAuthErrorFieldErrorDescription] as? String
        let parts = [code, description].compactMap { $0 }.filter { !$0.isEmpty }
        var information = information(parts.joined(separator: ": "), underlying: underlyingError)
        information[OIDOAuthErrorResponseErrorKey] = errorResponse
        return NSError(
            domain: domain,
            code: (code.map(oAuthErrorCode(from:)) ?? .clientError).rawValue,
            userInfo: information
        )
    }

    /// An error of ``OIDResourceServerAuthorizationErrorDomain``: a resource server refused the access token.
    public static func resourceServerAuthorizationError(
        withCode code: Int,
        errorResponse: [AnyHashable: Any]?,
        underlyingError: (any Error)?
    ) -> any Error {
        var information = information("The resource server refused the access token.", underlying: underlyingError)
        information[OIDOAuthErrorResponseErrorKey] = errorResponse
        return NSError(domain: OIDResourceServerAuthorizationErrorDomain, code: code, userInfo: information)
    }

    /// The number of an OAuth error code; ``OIDErrorCodeOAuth/other`` for one without a number.
    public static func oAuthErrorCode(from errorCode: String) -> OIDErrorCodeOAuth {
        switch errorCode {
        case "invalid_request": .invalidRequest
        case "unauthorized_client": .unauthorizedClient
        case "access_denied": .accessDenied
        case "unsupported_response_type": .unsupportedResponseType
        case "invalid_scope": .invalidScope
        case "server_error": .serverError
        case "temporarily_unavailable": .temporarilyUnavailable
        case "invalid_client": .invalidClient
        case "invalid_grant": .invalidGrant
        case "unsupported_grant_type": .unsupportedGrantType
        case "invalid_redirect_uri": .invalidRedirectURI
        case "invalid_client_metadata": .invalidClientMetadata
        default: .other
        }
    }

    /// Whether a domain is one of the three for OAuth errors.
    public static func isOAuthErrorDomain(_ errorDomain: String) -> Bool {
        [OIDOAuthAuthorizationErrorDomain, OIDOAuthTokenErrorDomain, OIDOAuthRegistrationErrorDomain]
            .contains(errorDomain)
    }

    static func information(_ description: String?, underlying: (any Error)?) -> [String: Any] {
        var information: [String: Any] = [:]
        if let description, !description.isEmpty { information[NSLocalizedDescriptionKey] = description }
        if let underlying { information[NSUnderlyingErrorKey] = underlying }
        return information
    }
}
