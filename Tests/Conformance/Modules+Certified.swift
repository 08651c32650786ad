import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

extension Module {
    /// The modules of the plans that a relying party is certified by, as far as they fit a client of ours.
    static let certified =
        basicModules + configurationModules + dynamicModules + refreshModules + logoutModules + fapiModules

    private static func basic(
        _ name: String,
        _ provider: String,
        _ scenario: Scenario,
        _ expectation: Expectation,
        setting: Setting = Setting()
    ) -> Module {
        Module(.basic, "oidcc-client-test" + name, provider, scenario, expectation, setting: setting)
    }

    private static let basicModules: [Module] = [
        basic("", "Follows the specification.", .none, .accepted),
        basic("-client-secret-basic", "Accepts the secret only in the Authorization field.", .none, .accepted),
        basic("-scope-userinfo-claims", "Returns the claims of the scopes as user info.", .none, .accepted),
        basic("-idtoken-sig-rs256", "Signs with RS256.", .none, .accepted),
        basic("-invalid-iss", "`iss` is another issuer.", .invalidIssuer, .refused(.identity, .issuer)),
        basic("-invalid-aud", "`aud` is another client.", .invalidAudience, .refused(.identity, .audience)),
        basic("-missing-sub", "`sub` is missing.", .missingSubject, .refused(.identity, .subject)),
        basic("-missing-iat", "`iat` is missing.", .missingIssuedAt, .refused(.identity, .issuedAt)),
        basic("-nonce-invalid", "`nonce` differs from the request's.", .invalidNonce, .refused(.identity, .nonce)),
        basic("-missing-aud", "`aud` is missing.", .missingAudience, .refused(.identity, .audience)),
        basic(
            "-invalid-sig-rs256",
            "The RS256 signature is damaged.",
            .invalidSignature,
            .refused(.identity, .signature)
        ),
        basic(
            "-invalid-sig-es256",
            "The ES256 signature is damaged.",
            .invalidSignature,
            .refused(.identity, .signature),
            setting: Setting(registered: { $0.idTokenAlgorithm = .es256 })
        ),
        basic(
            "-invalid-sig-hs256",
            "Signs with HS256 and the public key as the secret.",
            .symmetricSignature,
            .refused(.identity, .algorithm)
        ),
        basic("-idtoken-sig-none", "The ID token is not signed.", .unsigned, .refused(.identity, .algorithm)),
        basic("-kid-absent-single-jwks", "No `kid` anywhere; one key fits.", .absentKeyID, .accepted),
        basic(
            "-kid-absent-multiple-jwks",
            "No `kid` anywhere; several keys fit.",
            .absentKeyIDs,
            .accepted
        ),
        basic(
            "-userinfo-invalid-sub",
            "The user info is about another user.",
            .userInfoInvalidSubject,
            .refused(.userInfo, .subject)
        ),
        basic(
            "-userinfo-bearer-header",
            "Accepts the access token only in the Authorization field.",
            .none,
            .accepted
        ),
    ]

    private static let configurationModules: [Module] = [
        Module(
            .configuration,
            "oidcc-client-test-discovery-openid-config",
            "Serves its metadata below the issuer.",
            .none,
            .accepted
        ),
        Module(
            .configuration,
            "oidcc-client-test-discovery-jwks-uri-keys",
            "The keys are at a URL that only the metadata names.",
            .none,
            .accepted
        ),
        Module(
            .configuration,
            "oidcc-client-test-discovery-issuer-mismatch",
            "The metadata names another issuer.",
            .issuerMismatch,
            .refused(.discovery, .metadataIssuer)
        ),
        Module(
            .configuration,
            "oidcc-client-test-idtoken-sig-none",
            "The ID token is not signed.",
            .unsigned,
            .refused(.identity, .algorithm)
        ),
        Module(
            .configuration,
            "oidcc-client-test-signing-key-rotation-just-before-signing",
            "Signs with a key that is newer than the client's copy of the key set.",
            .keyRotation,
            .accepted
        ),
        Module(
            .configuration,
            "oidcc-client-test-signing-key-rotation",
            "Replaces its keys between two sign-ins.",
            .keyRotation,
            .accepted
        ),
    ]

    private static let dynamicModules: [Module] = [
        Module(
            .dynamic,
            "oidcc-client-test-discovery-webfinger-acct",
            "WebFinger finds the issuer by a user's address.",
            .none,
            .accepted,
            setting: Setting(identifier: "acct:alice@id.example.test")
        ),
        Module(
            .dynamic,
            "oidcc-client-test-discovery-webfinger-url",
            "WebFinger finds the issuer by a user's URL.",
            .none,
            .accepted,
            setting: Setting(identifier: "https://id.example.test/alice")
        ),
        Module(
            .dynamic,
            "oidcc-client-test-dynamic-registration",
            "Registers every client.",
            .none,
            .accepted
        ),
        Module(
            .dynamic,
            "oidcc-client-test-userinfo-signed",
            "Signs the user info.",
            .none,
            .accepted,
            setting: Setting(
                change: { $0.validation.userInfoAlgorithm = .rs256 },
                registration: { $0.members["userinfo_signed_response_alg"] = "RS256" }
            )
        ),
        Module(
            .dynamic,
            "oidcc-client-test-discovery-issuer-mismatch",
            "The metadata names another issuer.",
            .issuerMismatch,
            .refused(.discovery, .metadataIssuer)
        ),
        Module(
            .dynamic,
            "oidcc-client-test-idtoken-sig-none",
            "The ID token is not signed.",
            .unsigned,
            .refused(.identity, .algorithm)
        ),
        Module(
            .dynamic,
            "oidcc-client-test-signing-key-rotation",
            "Replaces its keys between two sign-ins.",
            .keyRotation,
            .accepted
        ),
    ]

    private static let refreshModules: [Module] = [
        Module(.refresh, "oidcc-client-test-refresh-token", "Rotates the refresh token.", .none, .accepted),
        Module(
            .refresh,
            "oidcc-client-test-refresh-token-invalid-issuer",
            "The refreshed ID token is from another issuer.",
            .refreshInvalidIssuer,
            .refused(.identity, .issuer)
        ),
        Module(
            .refresh,
            "oidcc-client-test-refresh-token-invalid-sub",
            "The refreshed ID token is about another user.",
            .refreshInvalidSubject,
            .refused(.identity, .subject)
        ),
    ]

    private static let logoutModules: [Module] = [
        Module(
            .logout,
            "oidcc-client-test-rp-init-logout",
            "Ends the session and redirects with `state`.",
            .none,
            .accepted
        ),
        Module(
            .logout,
            "oidcc-client-test-rp-init-logout-other-state",
            "Redirects with another `state`.",
            .endSessionInvalidState,
            .refused(.endSession, .state)
        ),
        Module(
            .logout,
            "oidcc-client-test-rp-init-logout-no-state",
            "Redirects without `state`.",
            .endSessionMissingState,
            .refused(.endSession, .state)
        ),
    ]

    private static func fapi(_ provider: String, _ scenario: Scenario, _ expectation: Expectation) -> Module {
        Module(.fapi, scenario.name, provider, scenario, expectation)
    }

    private static let fapiModules: [Module] = [
        fapi("Follows the specification; proofs need nonces that change.", .fapiHappyPath, .accepted),
        fapi("Proofs need no nonces.", .fapiNoNonce, .accepted),
        fapi(
            "The metadata names another issuer.",
            .fapiIssuerMismatch,
            .refused(.discovery, .metadataIssuer)
        ),
        fapi("`iss` is another issuer.", .fapiInvalidIssuer, .refused(.identity, .issuer)),
        fapi("`aud` is another client.", .fapiInvalidAudience, .refused(.identity, .audience)),
        fapi(
            "`aud` also names another client, without `azp`.",
            .fapiInvalidSecondAudience,
            .refused(.identity, .audience)
        ),
        fapi("The ID token is not signed.", .fapiUnsigned, .refused(.identity, .algorithm)),
        fapi(
            "Signs with RS256 and another of its keys.",
            .fapiAlternateAlgorithm,
            .refused(.identity, .algorithm)
        ),
        fapi("`exp` is six minutes ago.", .fapiExpired, .refused(.identity, .expiry)),
        fapi("`exp` is missing.", .fapiMissingExpiry, .refused(.identity, .expiry)),
        fapi("`aud` is missing.", .fapiMissingAudience, .refused(.identity, .audience)),
        fapi("`iss` is missing.", .fapiMissingIssuer, .refused(.identity, .issuer)),
        fapi("`aud` is a list of one.", .fapiAudienceList, .accepted),
        fapi("`nonce` differs from the request's.", .fapiInvalidNonce, .refused(.identity, .nonce)),
        fapi("`nonce` is missing.", .fapiMissingNonce, .refused(.identity, .nonce)),
        fapi("The redirect's `iss` is another issuer.", .fapiInvalidResponseIssuer, .refused(.redirect, .issuer)),
        fapi("The redirect lacks `iss`.", .fapiMissingResponseIssuer, .refused(.redirect, .issuer)),
        fapi("The redirect's `state` differs from the request's.", .fapiInvalidState, .refused(.redirect, .state)),
        fapi("The redirect lacks `state`.", .fapiMissingState, .refused(.redirect, .state)),
        fapi("The token response lacks `expires_in`.", .fapiMissingLifetime, .accepted),
        fapi("`token_type` is in the other case.", .fapiTokenTypeCase, .accepted),
        fapi("The challenge's scheme is written `dPoP`.", .fapiChallengeSchemeCase, .accepted),
    ]
}
