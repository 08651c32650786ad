/// Providers that are products: most facts are read from recordings of the product.
extension ProviderManners {
    /// Apache CXF's OpenID Connect service.
    public static let cxf = ProviderManners(name: "cxf", title: "Apache CXF") { manners in
        let idToken = "https://github.com/DuendeArchive/identity-model-oidc-client-js/issues/96"
        manners.keyID = .absent
        manners.sources[.keyID] = idToken
        manners.authenticationTime = .onRequest
        manners.sources[.authenticationTime] = idToken
        manners.userClaimsInIDToken = .present
        manners.sources[.userClaimsInIDToken] = idToken
    }

    /// Glewlwyd 2.7.5 of Debian, as `make interop` meets it.
    public static let glewlwyd = ProviderManners(name: "glewlwyd", title: "Glewlwyd 2.7.5") { manners in
        let interop = "docs/interop.md"
        manners.idTokenAtRefresh = .absent
        manners.sources[.idTokenAtRefresh] = interop
        manners.tokenType = "bearer"
        manners.sources[.tokenType] = interop
        manners.publicClientRevocation = .refused
        manners.sources[.publicClientRevocation] = interop
    }

    /// Ory Hydra.
    public static let hydra = ProviderManners(name: "hydra", title: "Ory Hydra 2.3.0") { manners in
        manners.absentEndpoints = [.authorizationServer, .introspection, .pushedAuthorization, .deviceAuthorization]
        manners.sources[.absentEndpoints] = recording("hydra/discovery")
        manners.absentMetadata = ["dpop_signing_alg_values_supported"]
        manners.sources[.absentMetadata] = recording("hydra/discovery")
        manners.responseIssuer = .absent
        manners.sources[.responseIssuer] = recording("hydra/discovery")
        manners.crossOrigin = .nothing
        manners.sources[.crossOrigin] = "https://www.ory.sh/docs/hydra/guides/cors"
        manners.audienceParameter = .audience
        manners.sources[.audienceParameter] = "https://www.ory.sh/docs/hydra/guides/audiences"
        manners.clientAssertionAudience = .tokenEndpoint
        manners.sources[.clientAssertionAudience] = recording("hydra/private-key-jwt")
        manners.tokenType = "bearer"
        manners.sources[.tokenType] = recording("hydra/native-client")
        manners.refreshTokens = .once(grace: .zero)
        manners.sources[.refreshTokens] = recording("hydra/refresh-token-reuse")
        manners.accessTokens = .opaque
        manners.sources[.accessTokens] = recording("hydra/native-client")
        manners.nonceAtRefresh = .present
        manners.sources[.nonceAtRefresh] = recording("hydra/nonce-at-refresh")
        manners.keyIDAtRefresh = .ofFirstIDToken
        manners.sources[.keyIDAtRefresh] = recording("hydra/keys-rotate")
        manners.userInfoRefusal = .other(code: "request_unauthorized")
        manners.sources[.userInfoRefusal] = recording("hydra/introspection-is-not-public")
        manners.accessTokenRevocation = .endsGrant
        manners.sources[.accessTokenRevocation] = recording("hydra/introspection-is-not-public")
    }

    /// Keycloak with the realm setting Revoke Refresh Token off, which is where a realm starts.
    public static let keycloak = ProviderManners(name: "keycloak", title: "Keycloak 26.7.3") { manners in
        manners.issuerPath = "/realms/demo"
        manners.sources[.issuerPath] = recording("keycloak/discovery")
        manners.refreshTokens = .renewed
        manners.sources[.refreshTokens] = "https://www.keycloak.org/docs/latest/server_admin/#_timeouts"
        manners.accessTokenHeaderType = "JWT"
        manners.sources[.accessTokenHeaderType] = recording("keycloak/native-client")
        manners.authenticationTime = .ofSession
        manners.sources[.authenticationTime] = recording("keycloak/auth-time")
        manners.userClaimsInIDToken = .present
        manners.sources[.userClaimsInIDToken] = recording("keycloak/native-client")
    }

    /// Logto's own server.
    public static let logto = ProviderManners(name: "logto", title: "Logto 1.37.1") { manners in
        manners.issuerPath = "/oidc"
        manners.sources[.issuerPath] = recording("logto/discovery")
        manners.absentEndpoints = [.authorizationServer, .deviceAuthorization, .registration]
        manners.sources[.absentEndpoints] = recording("logto/discovery")
        manners.absentMetadata = ["dpop_signing_alg_values_supported"]
        manners.sources[.absentMetadata] = recording("logto/discovery")
        manners.refreshTokens = .once(grace: .zero)
        manners.sources[.refreshTokens] = recording("logto/refresh-token-reuse")
        manners.issuedTokenType = .absent
        manners.sources[.issuedTokenType] = recording("logto/token-exchange")
        manners.accessTokens = .opaqueWithoutAudience
        manners.sources[.accessTokens] = recording("logto/resource")
        manners.authenticationTime = .onRequest
        manners.sources[.authenticationTime] = recording("logto/nonce-at-refresh")
        manners.nonceAtRefresh = .present
        manners.sources[.nonceAtRefresh] = recording("logto/nonce-at-refresh")
        manners.userClaimsInIDToken = .present
        manners.sources[.userClaimsInIDToken] = recording("logto/native-client")
        manners.errorBody = .coded
        manners.sources[.errorBody] = recording("logto/refresh-token-reuse")
        manners.userInfoRefusal = .challengeAndBody
        manners.sources[.userInfoRefusal] = recording("logto/introspection")
    }

    /// node-oidc-provider.
    public static let oidcProvider = ProviderManners(name: "oidc-provider", title: "node-oidc-provider 9") { manners in
        manners.offlineAccess = .withConsentPrompt
        manners.sources[.offlineAccess] = recording("oidc-provider/no-consent-asked-no-refresh-token")
        manners.refreshTokens = .once(grace: .zero)
        manners.sources[.refreshTokens] = recording("oidc-provider/refresh-token-reuse")
        manners.accessTokens = .opaqueWithoutAudience
        manners.sources[.accessTokens] = recording("oidc-provider/resource")
        manners.authenticationTime = .onRequest
        manners.sources[.authenticationTime] = recording("oidc-provider/nonce-at-refresh")
        manners.nonceAtRefresh = .present
        manners.sources[.nonceAtRefresh] = recording("oidc-provider/nonce-at-refresh")
        manners.accessTokenHash = .absent
        manners.sources[.accessTokenHash] = recording("oidc-provider/native-client")
        manners.userInfoRefusal = .challengeAndBody
        manners.sources[.userInfoRefusal] = recording("oidc-provider/introspection")
        manners.accessTokenRevocation = .endsGrant
        manners.sources[.accessTokenRevocation] = recording("oidc-provider/introspection")
        manners.endSession = .asksUser
        manners.sources[.endSession] = recording("oidc-provider/confidential-client")
    }

    /// Spring Authorization Server.
    public static let spring = ProviderManners(name: "spring", title: "Spring Authorization Server 1.5.3") { manners in
        manners.absentMetadata = ["claims_supported"]
        manners.sources[.absentMetadata] = recording("spring/discovery")
        manners.responseIssuer = .absent
        manners.sources[.responseIssuer] = recording("spring/discovery")
        manners.refreshTokenCondition = .confidentialClient
        manners.sources[.refreshTokenCondition] = recording("spring/native-client")
        manners.refreshTokens = .repeated
        manners.sources[.refreshTokens] = recording("spring/registration")
        manners.accessTokenHeaderType = nil
        manners.sources[.accessTokenHeaderType] = recording("spring/native-client")
        manners.absentAccessTokenClaims = ["auth_time", "client_id"]
        manners.sources[.absentAccessTokenClaims] = recording("spring/native-client")
        manners.accessTokenHash = .absent
        manners.sources[.accessTokenHash] = recording("spring/native-client")
        manners.absentKeyMembers = ["alg", "use"]
        manners.sources[.absentKeyMembers] = recording("spring/native-client")
        manners.errorBody = .withoutDescription
        manners.sources[.errorBody] = recording("spring/refresh-token-reuse")
        manners.userInfoRefusal = .body
        manners.sources[.userInfoRefusal] = recording("spring/introspection")
        manners.publicClientRevocation = .refused
        manners.sources[.publicClientRevocation] = recording("spring/native-client")
    }

    /// The path of a recording.
    private static func recording(_ name: String) -> String { "Tests/Replays/Recordings/\(name).jsonl" }
}
