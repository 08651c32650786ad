import OstiaryOAuth

/// Providers that are services: the facts are read from what the vendor, or a project that met the service, has
/// published.
extension ProviderManners {
    private static let tenant = "/11111111-2222-3333-4444-555555555555"

    /// Sign in with Apple, for the web and for other platforms than Apple's.
    public static let apple = ProviderManners(name: "apple", title: "Sign in with Apple") { manners in
        let metadata = "https://appleid.apple.com/.well-known/openid-configuration"
        let tokens = "https://developer.apple.com/documentation/sign_in_with_apple/generate_and_validate_tokens"
        let claims = "https://authjs.dev/reference/core/providers/apple"
        manners.absentEndpoints = [
            .userInfo, .introspection, .endSession, .pushedAuthorization, .deviceAuthorization, .registration,
        ]
        manners.sources[.absentEndpoints] = metadata
        manners.responseIssuer = .absent
        manners.sources[.responseIssuer] = metadata
        manners.offlineAccess = .unknown
        manners.sources[.offlineAccess] = "https://developer.apple.com/forums/thread/118209"
        manners.refreshTokenCondition = .always
        manners.sources[.refreshTokenCondition] = tokens
        manners.formPostScopes = ["name", .email]
        manners.sources[.formPostScopes] = "https://developer.apple.com/forums/thread/704197"
        manners.clientSecrets = .signed
        manners.sources[.clientSecrets] = tokens
        manners.refreshTokens = .kept
        manners.sources[.refreshTokens] = tokens
        manners.accessTokens = .opaque
        manners.sources[.accessTokens] = tokens
        manners.userClaimsInIDToken = .present
        manners.sources[.userClaimsInIDToken] = claims
        manners.textualClaims = ["email_verified", "is_private_email"]
        manners.sources[.textualClaims] = claims
        manners.errorBody = .withoutDescription
        manners.sources[.errorBody] = "https://newbedev.com/how-to-verify-code-from-sign-in-with-apple"
    }

    /// Auth0 with refresh token rotation on, and its overlap period where it starts.
    public static let auth0 = ProviderManners(name: "auth0", title: "Auth0") { manners in
        manners.issuerPath = "/"
        manners.sources[.issuerPath] = "https://github.com/boylesoftware/tomcat-oidcauth#configuration"
        manners.audienceParameter = .audience
        manners.sources[.audienceParameter] = "https://github.com/mozilla/doorman/issues/101"
        manners.refreshTokens = .once(grace: .zero)
        manners.sources[.refreshTokens] =
            "https://auth0.com/docs/secure/tokens/refresh-tokens/configure-refresh-token-rotation"
        manners.accessTokens = .opaqueWithoutAudience
        manners.sources[.accessTokens] = "https://github.com/mozilla/doorman/issues/101"
        manners.accessTokenRevocation = .ignored
        manners.sources[.accessTokenRevocation] =
            "https://docs-dev.mintlify.app/docs/api/authentication/token-management/revoke-refresh-token"
    }

    /// A user pool of Amazon Cognito.
    public static let cognito = ProviderManners(name: "cognito", title: "Amazon Cognito user pools") { manners in
        let guide = "https://docs.aws.amazon.com/cognito/latest/developerguide"
        let sources = "https://github.com/awsdocs/amazon-cognito-developer-guide/blob/main/doc_source"
        let metadata = "https://github.com/localstack/localstack/issues/12914"
        let scope = "https://github.com/onyx-dot-app/onyx/issues/11931"
        manners.issuerPath = "/us-east-1_Example1"
        manners.sources[.issuerPath] = metadata
        manners.absentEndpoints = [.introspection, .pushedAuthorization, .deviceAuthorization, .registration]
        manners.sources[.absentEndpoints] = metadata
        manners.responseIssuer = .absent
        manners.sources[.responseIssuer] = metadata
        manners.offlineAccess = .unknown
        manners.sources[.offlineAccess] = scope
        manners.refreshTokenCondition = .always
        manners.sources[.refreshTokenCondition] = scope
        manners.refreshTokens = .kept
        manners.sources[.refreshTokens] = "\(sources)/token-endpoint.md"
        manners.accessTokenHeaderType = nil
        manners.sources[.accessTokenHeaderType] = "\(guide)/amazon-cognito-user-pools-using-the-access-token.html"
        manners.absentAccessTokenClaims = ["aud"]
        manners.sources[.absentAccessTokenClaims] = "\(guide)/amazon-cognito-user-pools-using-the-access-token.html"
        manners.userClaimsInIDToken = .present
        manners.sources[.userClaimsInIDToken] =
            "\(guide)/amazon-cognito-user-pools-using-tokens-with-identity-providers.html"
        manners.textualClaims = ["email_verified"]
        manners.sources[.textualClaims] = "\(guide)/userinfo-endpoint.html"
        manners.errorBody = .withoutDescription
        manners.sources[.errorBody] = "\(sources)/token-endpoint.md"
        manners.accessTokenRevocation = .unsupported
        manners.sources[.accessTokenRevocation] = "\(sources)/revocation-endpoint.md"
        manners.endSession = .logoutURI
        manners.sources[.endSession] = "\(guide)/logout-endpoint.html"
    }

    /// Microsoft Entra ID, version 2.0 of the endpoints, for one tenant.
    public static let entra = ProviderManners(name: "entra", title: "Microsoft Entra ID, v2.0") { manners in
        manners.issuerPath = "\(tenant)/v2.0"
        manners.sources[.issuerPath] = "https://github.com/BookStackApp/BookStack/issues/3206"
        manners.absentEndpoints = [.revocation]
        manners.sources[.absentEndpoints] =
            "https://learn.microsoft.com/en-us/answers/questions/2151518/revoking-azure-aad-refresh-token"
        manners.crossOrigin = .documentsAndNoTokens
        manners.sources[.crossOrigin] = "https://github.com/MicrosoftDocs/azure-docs/issues/100859"
        manners.refreshTokens = .renewed
        manners.sources[.refreshTokens] = "https://learn.microsoft.com/en-us/entra/identity-platform/refresh-tokens"
        manners.nonceAtRefresh = .present
        manners.sources[.nonceAtRefresh] = "https://github.com/zitadel/oidc/issues/509"
        manners.absentKeyMembers = ["alg"]
        manners.sources[.absentKeyMembers] = "https://github.com/oidc-wp/openid-connect-generic/issues/634"
        manners.errorBody = .traced
        manners.sources[.errorBody] =
            "https://learn.microsoft.com/en-us/answers/questions/1311278/how-to-fix-azure-active-directory-unauthorized-red"
    }

    /// Microsoft Entra ID, version 1.0 of the endpoints, for one tenant.
    public static let entraV1 = ProviderManners(name: "entra-v1", title: "Microsoft Entra ID, v1.0") { manners in
        manners.issuerPath = "\(tenant)/"
        manners.sources[.issuerPath] = "https://github.com/boylesoftware/tomcat-oidcauth#configuration"
        manners.absentEndpoints = [.revocation]
        manners.sources[.absentEndpoints] =
            "https://learn.microsoft.com/en-us/answers/questions/2151518/revoking-azure-aad-refresh-token"
        manners.expiresIn = .text
        manners.sources[.expiresIn] =
            "https://github.com/MicrosoftDocs/azure-docs/blob/main/articles/active-directory/azuread-dev/v1-protocols-oauth-code.md"
        manners.errorBody = .traced
        manners.sources[.errorBody] =
            "https://azuresdkdocs.z19.web.core.windows.net/javascript/azure-identity/4.10.1/interfaces/ErrorResponse.html"
    }

    /// Google's accounts.
    public static let google = ProviderManners(name: "google", title: "Google") { manners in
        let reference = "https://developers.google.com/identity/openid-connect/reference"
        let app = "https://developers.google.com/identity/protocols/oauth2/native-app"
        let scope = "https://github.com/int128/kubelogin/issues/405"
        manners.absentEndpoints = [.introspection, .endSession, .pushedAuthorization, .registration]
        manners.sources[.absentEndpoints] = reference
        manners.offlineAccess = .unknown
        manners.sources[.offlineAccess] = scope
        manners.refreshTokenCondition = .accessType
        manners.sources[.refreshTokenCondition] = scope
        manners.refreshTokens = .kept
        manners.sources[.refreshTokens] = app
        manners.accessTokens = .opaque
        manners.sources[.accessTokens] = "https://cloud.google.com/docs/authentication/token-types"
        manners.userClaimsInIDToken = .present
        manners.sources[.userClaimsInIDToken] = reference
        manners.accessTokenRevocation = .endsGrant
        manners.sources[.accessTokenRevocation] = "\(app)#tokenrevoke"
    }

    /// A custom authorization server of Okta with refresh token rotation on, and its grace period where it starts.
    public static let okta = ProviderManners(name: "okta", title: "Okta") { manners in
        let guide = "https://developer.okta.com/docs/guides/refresh-tokens/main/"
        manners.issuerPath = "/oauth2/default"
        manners.sources[.issuerPath] = guide
        manners.refreshTokens = .once(grace: .seconds(30))
        manners.sources[.refreshTokens] = guide
        manners.endSession = .requiresIDTokenHint
        manners.sources[.endSession] =
            "https://support.okta.com/help/s/article/the-purpose-of-id-token-hint-in-the-logout-api-and-how-does-it-affect-the-single-logout-process"
    }
}
