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
        basic("", "Everything is right.", .none, .accepted),
        basic("-client-secret-basic", "Takes the secret in the Authorization field alone.", .none, .accepted),
        basic("-scope-userinfo-claims", "Gives the claims of the scopes as user info.", .none, .accepted),
        basic("-idtoken-sig-rs256", "Signs with RS256.", .none, .accepted),
        basic("-invalid-iss", "`iss` is another.", .invalidIssuer, .refused(.identity, .issuer)),
        basic("-invalid-aud", "`aud` is another.", .invalidAudience, .refused(.identity, .audience)),
        basic("-missing-sub", "`sub` is missing.", .missingSubject, .refused(.identity, .subject)),
        basic("-missing-iat", "`iat` is missing.", .missingIssuedAt, .refused(.identity, .issuedAt)),
        basic("-nonce-invalid", "`nonce` is another.", .invalidNonce, .refused(.identity, .nonce)),
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
        basic("-kid-absent-single-jwks", "No `kid` anywhere, one key that fits.", .absentKeyID, .accepted),
        basic(
            "-kid-absent-multiple-jwks",
            "No `kid` anywhere, several keys that fit.",
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
            "Takes the access token in the Authorization field alone.",
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
            "The keys lie where only the metadata says.",
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
            "Signs with a key that is new since the keys were read.",
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
            "Is found by the address of a user.",
            .none,
            .accepted,
            setting: Setting(identifier: "acct:alice@id.example.test")
        ),
        Module(
            .dynamic,
            "oidcc-client-test-discovery-webfinger-url",
            "Is found by the URL of a user.",
            .none,
            .accepted,
            setting: Setting(identifier: "https://id.example.test/alice")
        ),
        Module(
            .dynamic,
            "oidcc-client-test-dynamic-registration",
            "Registers whoever asks.",
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
            "The refreshed ID token is another issuer's.",
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
        fapi("Everything is right; proofs need nonces that change.", .fapiHappyPath, .accepted),
        fapi("Proofs need no nonces.", .fapiNoNonce, .accepted),
        fapi(
            "The metadata names another issuer.",
            .fapiIssuerMismatch,
            .refused(.discovery, .metadataIssuer)
        ),
        fapi("`iss` is another.", .fapiInvalidIssuer, .refused(.identity, .issuer)),
        fapi("`aud` is another.", .fapiInvalidAudience, .refused(.identity, .audience)),
        fapi(
            "`aud` names another client, too, and there is no `azp`.",
            .fapiInvalidSecondAudience,
            .refused(.identity, .audience)
        ),
        fapi("The ID token is not signed.", .fapiUnsigned, .refused(.identity, .algorithm)),
        fapi(
            "Signs with RS256 and another key of its own.",
            .fapiAlternateAlgorithm,
            .refused(.identity, .algorithm)
        ),
        fapi("`exp` is six minutes ago.", .fapiExpired, .refused(.identity, .expiry)),
        fapi("`exp` is missing.", .fapiMissingExpiry, .refused(.identity, .expiry)),
        fapi("`aud` is missing.", .fapiMissingAudience, .refused(.identity, .audience)),
        fapi("`iss` is missing.", .fapiMissingIssuer, .refused(.identity, .issuer)),
        fapi("`aud` is a list of one.", .fapiAudienceList, .accepted),
        fapi("`nonce` is another.", .fapiInvalidNonce, .refused(.identity, .nonce)),
        fapi("`nonce` is missing.", .fapiMissingNonce, .refused(.identity, .nonce)),
        fapi("The redirect's `iss` is another.", .fapiInvalidResponseIssuer, .refused(.redirect, .issuer)),
        fapi("The redirect lacks `iss`.", .fapiMissingResponseIssuer, .refused(.redirect, .issuer)),
        fapi("The redirect's `state` is another.", .fapiInvalidState, .refused(.redirect, .state)),
        fapi("The redirect lacks `state`.", .fapiMissingState, .refused(.redirect, .state)),
        fapi("The token response lacks `expires_in`.", .fapiMissingLifetime, .accepted),
        fapi("`token_type` is written in the other case.", .fapiTokenTypeCase, .accepted),
        fapi("The challenge's scheme is written `dPoP`.", .fapiChallengeSchemeCase, .accepted),
    ]
}
