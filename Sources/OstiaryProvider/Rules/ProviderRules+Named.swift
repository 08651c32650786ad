import OstiaryJOSE

extension ProviderRules {
    /// The strict rules: RFC 9700 for every client, nothing that a specification leaves to a server.
    ///
    /// The default of the library, the test kit and the demos.
    public static let strict = ProviderRules(name: "strict")

    /// The rules of a server that people's applications expect: it lets in clients that a general-purpose OpenID
    /// provider lets in with its default settings, and reports each step that the strict rules refuse.
    ///
    /// The default of `ostiary idp serve`.
    public static let oidc = ProviderRules(name: "oidc") {
        $0.proofKeys = .publicClients
        $0.missingScope = .registered
        $0.missingRedirectURI = .registered
        $0.unknownScopes = .ignored
        $0.formPost = .accepted
        $0.claimsParameter = .honored
        $0.requestObjects = .accepted
        $0.clientReferences = .accepted
        $0.secretPlaces = .either
        $0.rawBasicCredentials = .accepted
        $0.assertionAudience = .issuerOrEndpoint
        $0.assertionLifetime = .hour
        $0.tokenRedirectURI = .optional
        $0.userInfoForm = .accepted
        $0.userClaims = .userInfoAndIDToken
        $0.emptyMetadata = .ignored
    }

    /// The rules of the FAPI 2.0 Security Profile: pushed requests, tokens bound to a key by DPoP, `private_key_jwt`
    /// with the issuer as `aud`, ES256, PS256 and EdDSA with Ed25519.
    ///
    /// The provider speaks no mutual TLS.
    public static let fapi2 = ProviderRules(name: "fapi2") {
        $0.pushedRequests = .everyClient
        $0.authenticationMethods = .privateKeyJWT
        $0.senderConstraint = .everyClient
        $0.algorithms = [.es256, .ps256, .edDSA, .ed25519]
        $0.refreshTokens = .kept
    }

    /// The rules for clients of the Model Context Protocol: strict, but for requests without a scope or redirect URI,
    /// scopes of other servers, token requests without a redirect URI, access tokens in the form of user info, and
    /// empty texts in registrations.
    public static let mcp = ProviderRules(name: "mcp") {
        $0.missingScope = .registered
        $0.missingRedirectURI = .registered
        $0.unknownScopes = .ignored
        $0.tokenRedirectURI = .optional
        $0.userInfoForm = .accepted
        $0.emptyMetadata = .ignored
    }

    /// The named rules, the default of the command line first.
    public static let all: [ProviderRules] = [.oidc, .strict, .fapi2, .mcp]

    /// The named rules with a name; `nil` for none.
    public static func named(_ name: String) -> ProviderRules? { all.first { $0.name == name } }
}

extension ProviderRules: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
