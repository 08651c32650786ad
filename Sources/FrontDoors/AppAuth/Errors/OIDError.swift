// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of errors that no server named; the code is one of ``OIDErrorCode``.
public let OIDGeneralErrorDomain = "org.openid.appauth.general"
/// The domain of OAuth errors of the authorization endpoint (RFC 6749 section 4.1.2.1).
public let OIDOAuthAuthorizationErrorDomain = "org.openid.appauth.oauth_authorization"
/// The domain of OAuth errors of the token endpoint (RFC 6749 section 5.2).
public let OIDOAuthTokenErrorDomain = "org.openid.appauth.oauth_token"
/// The domain of OAuth errors of the registration endpoint (RFC 7591 section 3.2.2).
public let OIDOAuthRegistrationErrorDomain = "org.openid.appauth.oauth_registration"
/// The domain of errors that an app reports for a resource server that refused a token.
public let OIDResourceServerAuthorizationErrorDomain = "org.openid.appauth.resourceserver"
/// The domain of HTTP failures; the code is the status.
public let OIDHTTPErrorDomain = "org.openid.appauth.remote-http"

/// The key of an OAuth error's response parameters in an error's `userInfo`.
public let OIDOAuthErrorResponseErrorKey = "OIDOAuthErrorResponseErrorKey"
/// The response parameter `error` (RFC 6749 section 5.2).
public let OIDOAuthErrorFieldError = "error"
/// The response parameter `error_description` (RFC 6749 section 5.2).
public let OIDOAuthErrorFieldErrorDescription = "error_description"
/// The response parameter `error_uri` (RFC 6749 section 5.2).
public let OIDOAuthErrorFieldErrorURI = "error_uri"

/// The codes of ``OIDGeneralErrorDomain``.
public enum OIDErrorCode: Int, Sendable {
    /// The metadata is incomplete, or belongs to another issuer.
    case invalidDiscoveryDocument = -2
    /// The user closed the page, or the app cancelled the flow.
    case userCanceledAuthorizationFlow = -3
    /// The task was cancelled, or the user did not come back in time.
    case programCanceledAuthorizationFlow = -4
    /// No response came; for the metadata, no usable response.
    case networkError = -5
    /// The server answered with a failure status and no OAuth error.
    case serverError = -6
    /// The response is not JSON.
    case jsonDeserializationError = -7
    /// The token response lacks a required member, or a member has the wrong type.
    case tokenResponseConstructionError = -8
    /// The page could not be presented on iOS.
    case safariOpenError = -9
    /// The page could not be presented on macOS or Linux.
    case browserOpenError = -10
    /// The tokens cannot be refreshed.
    case tokenRefreshError = -11
    /// The registration response lacks a required member, or a member has the wrong type.
    case registrationResponseConstructionError = -12
    /// The registration request cannot be written as JSON.
    case jsonSerializationError = -13
    /// The ID token is not a JSON Web Token.
    case idTokenParsingError = -14
    /// The ID token failed a check.
    case idTokenFailedValidationError = -15
    /// The URL is not for this flow's redirect URI.
    case urlMismatch = -16
    /// The flow has ended already.
    case invalidAuthorizationFlow = -17
}

/// The codes of all domains of OAuth errors.
public enum OIDErrorCodeOAuth: Int, Sendable {
    /// `invalid_request`
    case invalidRequest = -2
    /// `unauthorized_client`
    case unauthorizedClient = -3
    /// `access_denied`
    case accessDenied = -4
    /// `unsupported_response_type`
    case unsupportedResponseType = -5
    /// `invalid_scope`
    case invalidScope = -6
    /// `server_error`
    case serverError = -7
    /// `temporarily_unavailable`
    case temporarilyUnavailable = -8
    /// `invalid_client`
    case invalidClient = -9
    /// `invalid_grant`
    case invalidGrant = -10
    /// `unsupported_grant_type`
    case unsupportedGrantType = -11
    /// `invalid_redirect_uri`
    case invalidRedirectURI = -12
    /// `invalid_client_metadata`
    case invalidClientMetadata = -13
    /// An error that the client found, such as another `state`.
    case clientError = -0xEFFF
    /// An error code without a number of its own.
    case other = -0xF000
}

/// The codes of ``OIDOAuthAuthorizationErrorDomain``.
public enum OIDErrorCodeOAuthAuthorization: Int, Sendable {
    /// `invalid_request`
    case invalidRequest = -2
    /// `unauthorized_client`
    case unauthorizedClient = -3
    /// `access_denied`
    case accessDenied = -4
    /// `unsupported_response_type`
    case unsupportedResponseType = -5
    /// `invalid_scope`; the name is AppAuth's.
    case authorizationInvalidScope = -6
    /// `server_error`
    case serverError = -7
    /// `temporarily_unavailable`
    case temporarilyUnavailable = -8
    /// An error that the client found, such as another `state`.
    case clientError = -0xEFFF
    /// An error code without a number of its own.
    case other = -0xF000
}

/// The codes of ``OIDOAuthTokenErrorDomain``.
public enum OIDErrorCodeOAuthToken: Int, Sendable {
    /// `invalid_request`
    case invalidRequest = -2
    /// `unauthorized_client`
    case unauthorizedClient = -3
    /// `invalid_scope`
    case invalidScope = -6
    /// `invalid_client`
    case invalidClient = -9
    /// `invalid_grant`
    case invalidGrant = -10
    /// `unsupported_grant_type`
    case unsupportedGrantType = -11
    /// An error that the client found.
    case clientError = -0xEFFF
    /// An error code without a number of its own.
    case other = -0xF000
}

/// The codes of ``OIDOAuthRegistrationErrorDomain``.
public enum OIDErrorCodeOAuthRegistration: Int, Sendable {
    /// `invalid_request`
    case invalidRequest = -2
    /// `invalid_redirect_uri`
    case invalidRedirectURI = -12
    /// `invalid_client_metadata`
    case invalidClientMetadata = -13
    /// An error that the client found.
    case clientError = -0xEFFF
    /// An error code without a number of its own.
    case other = -0xF000
}
