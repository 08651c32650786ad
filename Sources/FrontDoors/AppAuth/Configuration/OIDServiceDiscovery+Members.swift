public import Foundation
import OstiaryJOSE

/// The members of OpenID Connect Discovery section 3, named as AppAuth names them.
extension OIDServiceDiscovery {
    /// The whole metadata, as Foundation's JSON objects.
    public var discoveryDictionary: [String: Any] { members.foundation }
    /// `device_authorization_endpoint` (RFC 8628 section 4).
    public var deviceAuthorizationEndpoint: URL? { optionalURL("device_authorization_endpoint") }
    /// `userinfo_endpoint`.
    public var userinfoEndpoint: URL? { optionalURL("userinfo_endpoint") }
    /// `registration_endpoint`.
    public var registrationEndpoint: URL? { optionalURL("registration_endpoint") }
    /// `end_session_endpoint`.
    public var endSessionEndpoint: URL? { optionalURL("end_session_endpoint") }
    /// `scopes_supported`.
    public var scopesSupported: [String]? { optionalTexts("scopes_supported") }
    /// `response_types_supported`.
    public var responseTypesSupported: [String] { optionalTexts("response_types_supported") ?? [] }
    /// `response_modes_supported`.
    public var responseModesSupported: [String]? { optionalTexts("response_modes_supported") }
    /// `grant_types_supported`.
    public var grantTypesSupported: [String]? { optionalTexts("grant_types_supported") }
    /// `acr_values_supported`.
    public var acrValuesSupported: [String]? { optionalTexts("acr_values_supported") }
    /// `subject_types_supported`.
    public var subjectTypesSupported: [String] { optionalTexts("subject_types_supported") ?? [] }
    /// `id_token_signing_alg_values_supported`.
    public var idTokenSigningAlgorithmValuesSupported: [String] {
        optionalTexts("id_token_signing_alg_values_supported") ?? []
    }
    /// `id_token_encryption_alg_values_supported`.
    public var idTokenEncryptionAlgorithmValuesSupported: [String]? {
        optionalTexts("id_token_encryption_alg_values_supported")
    }
    /// `id_token_encryption_enc_values_supported`.
    public var idTokenEncryptionEncodingValuesSupported: [String]? {
        optionalTexts("id_token_encryption_enc_values_supported")
    }
    /// `userinfo_signing_alg_values_supported`.
    public var userinfoSigningAlgorithmValuesSupported: [String]? {
        optionalTexts("userinfo_signing_alg_values_supported")
    }
    /// `userinfo_encryption_alg_values_supported`.
    public var userinfoEncryptionAlgorithmValuesSupported: [String]? {
        optionalTexts("userinfo_encryption_alg_values_supported")
    }
    /// `userinfo_encryption_enc_values_supported`.
    public var userinfoEncryptionEncodingValuesSupported: [String]? {
        optionalTexts("userinfo_encryption_enc_values_supported")
    }
    /// `request_object_signing_alg_values_supported`.
    public var requestObjectSigningAlgorithmValuesSupported: [String]? {
        optionalTexts("request_object_signing_alg_values_supported")
    }
    /// `request_object_encryption_alg_values_supported`.
    public var requestObjectEncryptionAlgorithmValuesSupported: [String]? {
        optionalTexts("request_object_encryption_alg_values_supported")
    }
    /// `request_object_encryption_enc_values_supported`.
    public var requestObjectEncryptionEncodingValuesSupported: [String]? {
        optionalTexts("request_object_encryption_enc_values_supported")
    }
    /// `token_endpoint_auth_methods_supported`.
    public var tokenEndpointAuthMethodsSupported: [String]? { optionalTexts("token_endpoint_auth_methods_supported") }
    /// `token_endpoint_auth_signing_alg_values_supported`.
    public var tokenEndpointAuthSigningAlgorithmValuesSupported: [String]? {
        optionalTexts("token_endpoint_auth_signing_alg_values_supported")
    }
    /// `display_values_supported`.
    public var displayValuesSupported: [String]? { optionalTexts("display_values_supported") }
    /// `claim_types_supported`.
    public var claimTypesSupported: [String]? { optionalTexts("claim_types_supported") }
    /// `claims_supported`.
    public var claimsSupported: [String]? { optionalTexts("claims_supported") }
    /// `service_documentation`.
    public var serviceDocumentation: URL? { optionalURL("service_documentation") }
    /// `claims_locales_supported`.
    public var claimsLocalesSupported: [String]? { optionalTexts("claims_locales_supported") }
    /// `ui_locales_supported`.
    public var uiLocalesSupported: [String]? { optionalTexts("ui_locales_supported") }
    /// `claims_parameter_supported`; `false` when it is missing.
    public var claimsParameterSupported: Bool { flag("claims_parameter_supported") ?? false }
    /// `request_parameter_supported`; `false` when it is missing.
    public var requestParameterSupported: Bool { flag("request_parameter_supported") ?? false }
    /// `request_uri_parameter_supported`; `true` when it is missing.
    public var requestURIParameterSupported: Bool { flag("request_uri_parameter_supported") ?? true }
    /// `require_request_uri_registration`; `false` when it is missing.
    public var requireRequestURIRegistration: Bool { flag("require_request_uri_registration") ?? false }
    /// `op_policy_uri`.
    public var opPolicyURI: URL? { optionalURL("op_policy_uri") }
    /// `op_tos_uri`.
    public var opTosURI: URL? { optionalURL("op_tos_uri") }
}
