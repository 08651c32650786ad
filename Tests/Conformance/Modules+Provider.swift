import Foundation

/// A module of the OpenID Foundation's plans for providers, with the tests of the development provider that show what it
/// asks for.
struct ProviderModule: Sendable {
    let plan: String
    /// The module's name in the suite.
    let name: String
    /// The duty of the provider, in our words.
    let statement: String
    /// The tests, as `Suite.function`; empty for what the provider leaves out.
    let tests: [String]

    /// Every row of a plan, in the order of the page.
    static let all: [ProviderModule] = rows.split(separator: "\n").compactMap { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 4 else { return nil }
        let tests = cells[3] == "-" ? [] : cells[3].split(separator: " ").map(String.init)
        return ProviderModule(plan: cells[0], name: cells[1], statement: cells[2], tests: tests)
    }

    /// The number of lines, to notice one that is not a row.
    static var lineCount: Int { rows.split(separator: "\n").count }

    /// Plan, module, statement and tests.
    private static let rows = """
        Basic and Form Post OP | oidcc-server | A user signs in with a code; ID token, access token and user info agree. | FlowTests.signIn RulesTests.formPost
        Basic and Form Post OP | oidcc-response-type-missing | A request without response_type is refused at the client. | AuthorizationTests.redirectedErrors
        Basic and Form Post OP | oidcc-userinfo-get | User info responds to GET with the access token in the Authorization field. | UserInfoTests.claims
        Basic and Form Post OP | oidcc-userinfo-post-header | User info responds to POST with the access token in the Authorization field. | UserInfoTests.post
        Basic and Form Post OP | oidcc-userinfo-post-body | User info responds to POST with the access token in the form. | RulesTests.userInfoForm
        Basic and Form Post OP | oidcc-ensure-request-without-nonce-succeeds-for-code-flow | A code request needs no nonce, and its ID token has none. | TokenTests.noNonce
        Basic and Form Post OP | oidcc-scope-profile | The scope profile opens its claims. | UserInfoTests.claims
        Basic and Form Post OP | oidcc-scope-email | The scope email opens its claims. | UserInfoTests.claims
        Basic and Form Post OP | oidcc-scope-address | Each granted scope opens its claims and no others; shown for profile and email. | UserInfoTests.claims
        Basic and Form Post OP | oidcc-scope-phone | Each granted scope opens its claims and no others; shown for profile and email. | UserInfoTests.claims
        Basic and Form Post OP | oidcc-scope-all | Each granted scope opens its claims and no others; shown for profile and email. | UserInfoTests.claims
        Basic and Form Post OP | oidcc-ensure-other-scope-order-succeeds | The order of scopes does not matter. | ProviderModuleTests.scopeOrder
        Basic and Form Post OP | oidcc-display-page | The parameter display has no effect. | AuthorizationTests.unknownParameters
        Basic and Form Post OP | oidcc-display-popup | The parameter display has no effect. | AuthorizationTests.unknownParameters
        Basic and Form Post OP | oidcc-prompt-login | With prompt=login a signed-in user signs in again. | LoginTests.newSignIn
        Basic and Form Post OP | oidcc-prompt-none-not-logged-in | With prompt=none and without a login the response is login_required, without a page. | AuthorizationTests.redirectedErrors
        Basic and Form Post OP | oidcc-prompt-none-logged-in | With prompt=none a signed-in user gets a code. | LoginTests.promptNone
        Basic and Form Post OP | oidcc-max-age-1 | A sign-in older than max_age leads to the sign-in page. | LoginTests.newSignIn
        Basic and Form Post OP | oidcc-max-age-10000 | A sign-in younger than max_age is used, and auth_time does not change. | LoginTests.youngEnough TokenTests.authenticationTime
        Basic and Form Post OP | oidcc-ensure-request-with-unknown-parameter-succeeds | Unknown parameters have no effect. | AuthorizationTests.unknownParameters
        Basic and Form Post OP | oidcc-id-token-hint | With an id_token_hint and prompt=none the same user gets a code, and another user login_required. | ClientReferenceTests.hints LoginTests.idTokenHint
        Basic and Form Post OP | oidcc-login-hint | The name field begins with the login_hint. | AuthorizationTests.loginHint
        Basic and Form Post OP | oidcc-ui-locales | The parameter ui_locales has no effect. | AuthorizationTests.unknownParameters
        Basic and Form Post OP | oidcc-claims-locales | The parameter claims_locales has no effect. | AuthorizationTests.unknownParameters
        Basic and Form Post OP | oidcc-ensure-request-with-acr-values-succeeds | The ID token has the provider's acr; shown for a request without acr_values. | TokenTests.idToken
        Basic and Form Post OP | oidcc-codereuse | A second use of a code is refused. | CodeTests.reuse
        Basic and Form Post OP | oidcc-codereuse-30seconds | A second use of a code ends the tokens of the first. | CodeTests.lateReuse
        Basic and Form Post OP | oidcc-ensure-registered-redirect-uri | An unregistered redirect URI shows an error page, and no redirect. | AuthorizationTests.errorPage
        Basic and Form Post OP | oidcc-ensure-post-request-succeeds | The authorization endpoint accepts POST. | AuthorizationTests.post
        Basic and Form Post OP | oidcc-server-client-secret-post | A client authenticates with its secret in the form. | ClientAuthenticationTests.posted RulesTests.secretPlaces
        Basic and Form Post OP | oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported | An unsigned request object counts before the parameters beside it. | RequestObjectTests.unsigned
        Basic and Form Post OP | oidcc-claims-essential | A claim that the parameter claims names is in the user info. | RulesTests.claims
        Basic and Form Post OP | oidcc-ensure-request-object-with-redirect-uri | The redirect URI of a request object counts. | RequestObjectTests.unsigned
        Basic and Form Post OP | oidcc-refresh-token | A refresh returns new tokens for the same user. | RefreshTests.rotation RefreshTests.idToken
        Basic and Form Post OP | oidcc-ensure-request-with-valid-pkce-succeeds | A code with PKCE is redeemed with its verifier alone. | CodeTests.wrongVerifier
        Config OP | oidcc-discovery-endpoint-verification | The issuer's metadata has every required member, and https or loopback endpoints. | MetadataTests.discovery MetadataTests.keys
        Dynamic OP | oidcc-discovery-endpoint-verification | The metadata names the registration endpoint, and omits id_token and implicit, which the plan requires and OAuth 2.1 removes. | RegistrationTests.discovery
        Dynamic OP | oidcc-server | A client that has registered itself signs a user in. | RegistrationTests.signIn
        Dynamic OP | oidcc-ensure-client-assertion-with-iss-aud-succeeds | A client assertion for the issuer authenticates. | ClientAssertionTests.good
        Dynamic OP | oidcc-ensure-redirect-uri-in-authorization-request | A request for openid without redirect_uri shows an error page. | AuthorizationTests.errorPage
        Dynamic OP | oidcc-ensure-request-object-with-redirect-uri | The redirect URI of a request object counts. | RequestObjectTests.signed
        Dynamic OP | oidcc-idtoken-rs256 | A client that names no algorithm is registered for ID tokens with RS256. | RegistrationTests.defaultAlgorithm
        Dynamic OP | oidcc-idtoken-unsigned | ID tokens without a signature are left out; a client cannot register for them. | RegistrationTests.metadata
        Dynamic OP | oidcc-redirect-uri-query-OK | A redirect URI keeps its query. | AuthorizationTests.answer
        Dynamic OP | oidcc-redirect-uri-query-added | A redirect URI with a query that is not registered is refused. | AuthorizationTests.exactRedirectURI
        Dynamic OP | oidcc-redirect-uri-query-mismatch | A redirect URI with another query is refused. | AuthorizationTests.exactRedirectURI
        Dynamic OP | oidcc-redirect-uri-regfrag | A redirect URI with a fragment is not registered. | RegistrationTests.redirectURI
        Dynamic OP | oidcc-refresh-token | A refresh returns new tokens for the same user. | RefreshTests.rotation
        Dynamic OP | oidcc-refresh-token-rp-key-rotation | A client authenticates with a new key at its jwks_uri. | ClientReferenceTests.rotation
        Dynamic OP | oidcc-registration-jwks-uri | A client authenticates with its keys at jwks_uri. | ClientReferenceTests.keysByReference
        Dynamic OP | oidcc-registration-logo-uri | The consent page shows the client's logo. | ClientReferenceTests.pages
        Dynamic OP | oidcc-registration-policy-uri | The consent page links to the client's privacy policy. | ClientReferenceTests.pages
        Dynamic OP | oidcc-registration-tos-uri | The consent page links to the client's terms of service. | ClientReferenceTests.pages
        Dynamic OP | oidcc-registration-sector-uri | A client whose sector document lists its redirect URIs is registered. | ClientReferenceTests.sector
        Dynamic OP | oidcc-registration-sector-bad | A client whose sector document lacks a redirect URI is refused. | ClientReferenceTests.sector
        Dynamic OP | oidcc-request-uri-unsigned | An unsigned request object at a registered request_uri is the request. | ClientReferenceTests.byReference
        Dynamic OP | oidcc-request-uri-signed-rs256 | A request object at a registered request_uri is the request, and so is a signed one by value. | ClientReferenceTests.byReference RequestObjectTests.signed
        Dynamic OP | oidcc-server-rotate-keys | New keys sign, and old ones stay in the key set for a time. | MetadataTests.rotation MetadataTests.retirement ProviderRulesTranscripts.keyRotation
        Dynamic OP | oidcc-userinfo-rs256 | User info is signed for a client that has registered an algorithm; shown for ES256 in place of a refused RS256. | OwnRulesTests.userInfoAlgorithm
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-discovery-endpoint-verification | The metadata names the end session endpoint. | MetadataTests.discovery
        RP-Initiated Logout OP | oidcc-rp-initiated-logout | With a hint the user is signed out and redirected with state. | EndSessionTests.hinted
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-bad-post-logout-redirect-uri | An unregistered post_logout_redirect_uri shows an error page. | EndSessionTests.openRedirect
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-modified-id-token-hint | A changed ID token is no hint. | EndSessionTests.forgedHint
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-no-id-token-hint | Without a hint the user confirms first. | EndSessionTests.confirmed
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-no-params | Without parameters the user confirms, and stays at the provider. | EndSessionTests.refused
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-no-post-logout-redirect-uri | With a hint alone the user is signed out, and stays at the provider. | BackChannelLogoutTests.delivered
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-no-state | Without state the redirect has none. | ProviderModuleTests.noState
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-only-state | With state alone the user confirms first. | ProviderModuleTests.onlyState
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri | A post_logout_redirect_uri with another query shows an error page. | EndSessionTests.openRedirect
        RP-Initiated Logout OP | oidcc-rp-initiated-logout-bad-id-token-hint | A text that is no ID token is no hint. | EndSessionTests.openRedirect
        Back-Channel Logout OP | oidcc-backchannel-logout-discovery-endpoint-verification | The metadata announces back-channel logout with sessions. | BackChannelLogoutTests.metadata
        Back-Channel Logout OP | oidcc-backchannel-rp-initiated-logout | A sign-out posts a logout token with the login's sid to the client. | BackChannelLogoutTests.delivered LogoutDeliveryTests.backChannel
        Front-Channel Logout OP | oidcc-frontchannel-logout-discovery-endpoint-verification | The metadata announces front-channel logout with sessions. | BackChannelLogoutTests.metadata
        Front-Channel Logout OP | oidcc-frontchannel-rp-initiated-logout | The page after a sign-out loads the client's page with iss and sid, and goes on. | FrontChannelLogoutTests.session FrontChannelLogoutTests.continuation
        FAPI 2.0 Security Profile | …-discovery-end-point-verification | The metadata names private_key_jwt, pushed requests and DPoP, with the algorithms of the profile. | ClientAssertionTests.metadata PushedAuthorizationTests.metadata BoundTokenTests.metadata
        FAPI 2.0 Security Profile | …-happy-flow | A pushed request, a code and bound tokens. | RulesTests.pushed RulesTests.constrained
        FAPI 2.0 Security Profile | …-user-rejects-authentication | A user who cancels sends access_denied to the client. | LoginTests.cancel ConsentTests.deny
        FAPI 2.0 Security Profile | …-ensure-authorization-request-without-state-success | A request needs no state, and its response has none. | AuthorizationTests.noState
        FAPI 2.0 Security Profile | …-ensure-authorization-request-without-nonce-success | A request needs no nonce. | TokenTests.noNonce
        FAPI 2.0 Security Profile | …-ensure-authorization-request-with-64-char-nonce-success | The ID token has the nonce; tested with a short one. | TokenTests.idToken
        FAPI 2.0 Security Profile | …-ensure-authorization-request-with-long-state | A long state is returned whole, or is rejected. | ProviderModuleTests.longState
        FAPI 2.0 Security Profile | …-ensure-other-scope-order-succeeds | The order of scopes does not matter. | ProviderModuleTests.scopeOrder
        FAPI 2.0 Security Profile | …-access-token-type-header-case-sensitivity | The scheme's case does not matter at user info. | BoundUserInfoTests.scheme
        FAPI 2.0 Security Profile | …-check-dpop-proof-nbf-exp | A proof's nbf and exp have no effect. | ProviderModuleTests.proofTimes
        FAPI 2.0 Security Profile | …-ensure-dpopproof-with-iat-10seconds-before-succeeds | A proof that is ten seconds old is accepted. | DPoPProofCheckTests.time
        FAPI 2.0 Security Profile | …-ensure-dpopproof-with-iat-10seconds-after-succeeds | A proof that is ten seconds ahead is accepted. | DPoPProofCheckTests.time
        FAPI 2.0 Security Profile | …-ensure-dpop-auth-code-binding-success | A code with dpop_jkt is redeemed with that key. | BoundTokenTests.boundCode
        FAPI 2.0 Security Profile | …-ensure-dpopproof-at-par-endpoint-binding-success | A proof at the pushed request binds the code. | PushedAuthorizationTests.proof
        FAPI 2.0 Security Profile | …-ensure-mismatched-dpop-jkt-fails | A proof that contradicts dpop_jkt is refused. | PushedAuthorizationTests.contradiction
        FAPI 2.0 Security Profile | …-ensure-token-endpoint-fails-with-mismatched-dpop-jkt | A code with dpop_jkt is refused to another key. | BoundTokenTests.boundCode
        FAPI 2.0 Security Profile | …-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt | A code that a proof bound is refused to another key. | PushedAuthorizationTests.proof
        FAPI 2.0 Security Profile | …-dpop-negative-tests | Wrong, repeated and reused proofs are refused. | BoundTokenTests.wrongProof BoundUserInfoTests.proof
        FAPI 2.0 Security Profile | …-ensure-unsigned-authorization-request-without-using-par-fails | A request that was not pushed is refused. | RulesTests.pushed PushedAuthorizationTests.required
        FAPI 2.0 Security Profile | …-ensure-redirect-uri-in-authorization-request | A pushed request without redirect_uri is refused. | PushedAuthorizationTests.refused
        FAPI 2.0 Security Profile | …-ensure-response-type-code-idtoken-fails | Another response type than code is refused. | AuthorizationTests.redirectedErrors
        FAPI 2.0 Security Profile | …-ensure-response-type-token-fails | The response type token is refused. | AuthorizationTests.redirectedErrors PushedAuthorizationTests.refused
        FAPI 2.0 Security Profile | …-par-attempt-reuse-request_uri | A request_uri is opened once. | PushedAuthorizationTests.once
        FAPI 2.0 Security Profile | …-par-attempt-to-use-expired-request_uri | A request_uri that has expired is refused. | PushedAuthorizationTests.expiry
        FAPI 2.0 Security Profile | …-par-attempt-to-use-request_uri-for-different-client | A request_uri of another client is refused. | PushedAuthorizationTests.otherClient
        FAPI 2.0 Security Profile | …-par-attempt-invalid-http-method | The pushed request endpoint accepts only POST. | HTTPTests.methods
        FAPI 2.0 Security Profile | …-par-authorization-request-containing-request_uri-form-param | A request_uri cannot be pushed. | ProviderModuleTests.pushedRequestURI
        FAPI 2.0 Security Profile | …-par-ensure-pkce-required | A pushed request without PKCE is refused. | PushedAuthorizationTests.refused
        FAPI 2.0 Security Profile | …-par-plain-pkce-rejected | The challenge method plain is refused. | AuthorizationTests.redirectedErrors
        FAPI 2.0 Security Profile | …-par-without-duplicate-parameters | Parameters beside a request_uri have no effect. | PushedAuthorizationTests.more
        FAPI 2.0 Security Profile | …-ensure-pkce-code-verifier-required | A code is refused without its verifier. | CodeRuleTests.missingParameters
        FAPI 2.0 Security Profile | …-incorrect-pkce-code-verifier-rejected | A code is refused with another verifier. | CodeTests.wrongVerifier
        FAPI 2.0 Security Profile | …-ensure-authorization-code-is-bound-to-client | A code is refused to another client. | CodeTests.otherClient
        FAPI 2.0 Security Profile | …-attempt-reuse-authorization-code-after-one-second | A second use of a code ends the tokens of the first. | CodeTests.reuse
        FAPI 2.0 Security Profile | …-ensure-token-endpoint-fails-with-expired-auth-code | A code is refused after a minute. | CodeTests.expiry
        FAPI 2.0 Security Profile | …-ensure-client-id-in-token-endpoint | A client assertion names the client where client_id is missing. | ClientAssertionTests.good
        FAPI 2.0 Security Profile | …-ensure-holder-of-key-required | A token request without a proof is refused. | RulesTests.constrained BoundTokenTests.required
        FAPI 2.0 Security Profile | …-ensure-signed-client-assertion-with-RS256-fails | A client assertion with RS256 is refused. | OwnRulesTests.proofAlgorithm ClientAssertionTests.key
        FAPI 2.0 Security Profile | …-ensure-client-assertion-in-token-endpoint | A token request without a client assertion is refused. | ClientAssertionTests.method
        FAPI 2.0 Security Profile | …-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails | An expired client assertion is refused. | ClientAssertionTests.claims
        FAPI 2.0 Security Profile | …-ensure-client-assertion-with-wrong-aud-fails | A client assertion for another server is refused. | ClientAssertionTests.claims RulesTests.assertionAudience
        FAPI 2.0 Security Profile | …-ensure-client-assertion-with-no-sub-fails | A client assertion without sub is refused. | ClientAssertionTests.claims
        FAPI 2.0 Security Profile | …-ensure-invalid-client-assertions-fail | Client assertions with wrong claims are refused. | ClientAssertionTests.claims ClientAssertionTests.reuse
        FAPI 2.0 Security Profile | …-refresh-token | A refresh returns bound tokens, and keeps the refresh token. | OwnRulesTests.kept BoundTokenTests.confidential
        """
}
