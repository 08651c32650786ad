import OstiaryJOSE

/// One rule: a member of ``ProviderRules``, as log lines name it.
public enum ProviderRule: String, Sendable, Hashable, CaseIterable {
    case proofKeys, missingScope, missingRedirectURI, unknownScopes, formPost, claimsParameter, requestObjects
    case clientReferences
    case pushedRequests
    case authenticationMethods, secretPlaces, rawBasicCredentials, assertionAudience, assertionLifetime
    case senderConstraint, algorithms, tokenRedirectURI, userInfoForm, userClaims, refreshTokens, emptyMetadata

    /// The section that the rule comes from.
    public var source: String {
        switch self {
        case .proofKeys: "RFC 9700 section 2.1.1"
        case .missingScope: "RFC 6749 section 3.3"
        case .missingRedirectURI: "RFC 6749 section 3.1.2.3"
        case .unknownScopes: "OpenID Connect Core section 3.1.2.1"
        case .formPost: "OAuth 2.0 Form Post Response Mode"
        case .claimsParameter: "OpenID Connect Core section 5.5"
        case .requestObjects: "OpenID Connect Core section 6.1"
        case .clientReferences: "OpenID Connect Dynamic Client Registration section 2"
        case .pushedRequests: "FAPI 2.0 Security Profile section 5.3.2.2"
        case .authenticationMethods: "FAPI 2.0 Security Profile section 5.3.2.1"
        case .secretPlaces: "RFC 7591 section 2"
        case .rawBasicCredentials: "RFC 6749 section 2.3.1"
        case .assertionAudience: "RFC 7523 section 3"
        case .assertionLifetime: "RFC 7523 section 3"
        case .senderConstraint: "FAPI 2.0 Security Profile section 5.3.2.1"
        case .algorithms: "FAPI 2.0 Security Profile section 5.4.1"
        case .tokenRedirectURI: "RFC 6749 section 4.1.3"
        case .userInfoForm: "RFC 6750 section 2.2"
        case .userClaims: "OpenID Connect Core section 5.4"
        case .refreshTokens: "FAPI 2.0 Security Profile section 5.3.2.1"
        case .emptyMetadata: "RFC 7591 section 2"
        }
    }

    /// The change of a client after which its requests do not break the rule, in one sentence.
    var change: String {
        switch self {
        case .proofKeys: "Switch PKCE on in the client, with S256."
        case .missingScope: "Send a scope, such as openid."
        case .missingRedirectURI: "Send a redirect_uri."
        case .unknownScopes: "Leave the unknown scopes out."
        case .formPost: "Leave response_mode out."
        case .claimsParameter: "Request scopes in place of claims."
        case .requestObjects: "Send or push the parameters themselves."
        case .clientReferences: "Register jwks in place of jwks_uri, and push requests in place of request_uri."
        case .pushedRequests: "Push the request to the pushed_authorization_request_endpoint."
        case .authenticationMethods: "Register the client for private_key_jwt."
        case .secretPlaces: "Send the secret by the method that the client is registered for."
        case .rawBasicCredentials: "Form-encode client identifier and secret before you join them with a colon."
        case .assertionAudience: "Send the issuer as aud, as one string."
        case .assertionLifetime: "Have the assertion expire within five minutes."
        case .senderConstraint: "Send a DPoP proof."
        case .algorithms: "Sign with ES256 or PS256."
        case .tokenRedirectURI: "Send the redirect_uri with the code again."
        case .userInfoForm: "Send the access token in the Authorization field."
        case .userClaims: "Read the user's claims from user info."
        case .refreshTokens: "Use the newest refresh token."
        case .emptyMetadata: "Leave members without a value out."
        }
    }

    /// The name of the first named rules that serve a request which breaks this rule; `nil` for none.
    public var lenientRules: String? { ProviderRules.all.first { $0.isLenient(in: self) }?.name }
}

extension ProviderRules {
    /// The same rules with the lenient value of some, as the rules `oidc` have it.
    public func allowing(_ rules: Set<ProviderRule>) -> ProviderRules {
        rules.reduce(into: self) { all, rule in all.allow(rule) }
    }

    private mutating func allow(_ rule: ProviderRule) {
        let lenient = ProviderRules.oidc
        switch rule {
        case .proofKeys: proofKeys = lenient.proofKeys
        case .missingScope: missingScope = lenient.missingScope
        case .missingRedirectURI: missingRedirectURI = lenient.missingRedirectURI
        case .unknownScopes: unknownScopes = lenient.unknownScopes
        case .formPost: formPost = lenient.formPost
        case .claimsParameter: claimsParameter = lenient.claimsParameter
        case .requestObjects: requestObjects = lenient.requestObjects
        case .clientReferences: clientReferences = lenient.clientReferences
        case .pushedRequests: pushedRequests = lenient.pushedRequests
        case .authenticationMethods: authenticationMethods = lenient.authenticationMethods
        case .secretPlaces: secretPlaces = lenient.secretPlaces
        case .rawBasicCredentials: rawBasicCredentials = lenient.rawBasicCredentials
        case .assertionAudience: assertionAudience = lenient.assertionAudience
        case .assertionLifetime: assertionLifetime = lenient.assertionLifetime
        case .senderConstraint: senderConstraint = lenient.senderConstraint
        case .algorithms: algorithms = lenient.algorithms
        case .tokenRedirectURI: tokenRedirectURI = lenient.tokenRedirectURI
        case .userInfoForm: userInfoForm = lenient.userInfoForm
        case .userClaims: userClaims = lenient.userClaims
        case .refreshTokens: refreshTokens = lenient.refreshTokens
        case .emptyMetadata: emptyMetadata = lenient.emptyMetadata
        }
    }

    /// Whether a request that breaks a rule is served.
    ///
    /// The three rules that change responses alone are never broken.
    public func isLenient(in rule: ProviderRule) -> Bool {
        switch rule {
        case .proofKeys: proofKeys == .publicClients
        case .missingScope: missingScope == .registered
        case .missingRedirectURI: missingRedirectURI == .registered
        case .unknownScopes: unknownScopes == .ignored
        case .formPost: formPost == .accepted
        case .requestObjects: requestObjects == .accepted
        case .clientReferences: clientReferences == .accepted
        case .pushedRequests: pushedRequests == .asRegistered
        case .authenticationMethods: authenticationMethods == .every
        case .secretPlaces: secretPlaces == .either
        case .rawBasicCredentials: rawBasicCredentials == .accepted
        case .assertionAudience: assertionAudience == .issuerOrEndpoint
        case .assertionLifetime: assertionLifetime == .hour
        case .senderConstraint: senderConstraint == .asRegistered
        case .algorithms: algorithms.count == SignatureAlgorithm.allCases.count
        case .tokenRedirectURI: tokenRedirectURI == .optional
        case .userInfoForm: userInfoForm == .accepted
        case .emptyMetadata: emptyMetadata == .ignored
        case .claimsParameter, .userClaims, .refreshTokens: false
        }
    }
}
