// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The scope `openid` (OpenID Connect Core section 3.1.2.1).
public let OIDScopeOpenID = "openid"
/// The scope `profile` (OpenID Connect Core section 5.4).
public let OIDScopeProfile = "profile"
/// The scope `email` (OpenID Connect Core section 5.4).
public let OIDScopeEmail = "email"
/// The scope `address` (OpenID Connect Core section 5.4).
public let OIDScopeAddress = "address"
/// The scope `phone` (OpenID Connect Core section 5.4).
public let OIDScopePhone = "phone"

/// The grant type `authorization_code` (RFC 6749 section 4.1.3).
public let OIDGrantTypeAuthorizationCode = "authorization_code"
/// The grant type `refresh_token` (RFC 6749 section 6).
public let OIDGrantTypeRefreshToken = "refresh_token"
/// The grant type `password`, which is refused (RFC 9700 section 2.4).
public let OIDGrantTypePassword = "password"
/// The grant type `client_credentials` (RFC 6749 section 4.4.2).
public let OIDGrantTypeClientCredentials = "client_credentials"

/// The response type `code` (RFC 6749 section 4.1.1).
public let OIDResponseTypeCode = "code"
/// The response type `token`, which is refused (RFC 9700 section 2.1.2).
public let OIDResponseTypeToken = "token"
/// The response type `id_token`, which is refused, alone and together with `code`.
public let OIDResponseTypeIDToken = "id_token"

/// The PKCE method `S256` (RFC 7636 section 4.2).
///
/// The name has the letters of AppAuth's constant.
public let OIDOAuthorizationRequestCodeChallengeMethodS256 = "S256"

/// The member `token_endpoint_auth_method` of client metadata (RFC 7591 section 2).
public let OIDTokenEndpointAuthenticationMethodParam = "token_endpoint_auth_method"
/// The member `application_type` of client metadata (OpenID Connect Registration section 2).
public let OIDApplicationTypeParam = "application_type"
/// The member `redirect_uris` of client metadata (RFC 7591 section 2).
public let OIDRedirectURIsParam = "redirect_uris"
/// The member `response_types` of client metadata (RFC 7591 section 2).
public let OIDResponseTypesParam = "response_types"
/// The member `grant_types` of client metadata (RFC 7591 section 2).
public let OIDGrantTypesParam = "grant_types"
/// The member `subject_type` of client metadata (OpenID Connect Registration section 2).
public let OIDSubjectTypeParam = "subject_type"
/// The application type `native` (OpenID Connect Registration section 2).
public let OIDApplicationTypeNative = "native"

/// The member `client_id` of a registration response (RFC 7591 section 3.2.1).
public let OIDClientIDParam = "client_id"
/// The member `client_id_issued_at` of a registration response (RFC 7591 section 3.2.1).
public let OIDClientIDIssuedAtParam = "client_id_issued_at"
/// The member `client_secret` of a registration response (RFC 7591 section 3.2.1).
public let OIDClientSecretParam = "client_secret"
/// The member `client_secret_expires_at` of a registration response (RFC 7591 section 3.2.1).
///
/// The name has the letters of AppAuth's constant.
public let OIDClientSecretExpirestAtParam = "client_secret_expires_at"
/// The member `registration_access_token` of a registration response (RFC 7592 section 3).
public let OIDRegistrationAccessTokenParam = "registration_access_token"
/// The member `registration_client_uri` of a registration response (RFC 7592 section 3).
public let OIDRegistrationClientURIParam = "registration_client_uri"

/// Calls a callback on the main actor, as AppAuth calls all of its callbacks.
func onMain(_ call: @escaping @MainActor @Sendable () -> Void) {
    Task { @MainActor in call() }
}
