import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

/// The attacks that the suite does not test.
extension Module {
    static let own = ownRedirectModules + ownTokenModules + ownExchangeModules + ownTraps + ownFAPIModules

    private static func own(
        _ provider: String,
        _ scenario: Scenario,
        _ expectation: Expectation,
        setting: Setting = Setting()
    ) -> Module {
        Module(.own, scenario.name, provider, scenario, expectation, setting: setting)
    }

    private static let ownRedirectModules: [Module] = [
        own("The redirect's `state` differs from the request's.", .invalidState, .refused(.redirect, .state)),
        own("The redirect lacks `state`.", .missingState, .refused(.redirect, .state)),
        own("The redirect's `iss` is another issuer.", .invalidResponseIssuer, .refused(.redirect, .issuer)),
        own("The redirect lacks the promised `iss`.", .missingResponseIssuer, .refused(.redirect, .issuer)),
        own("The redirect has `state` twice.", .repeatedState, .refused(.redirect, .repeatedParameter)),
        own("The redirect has two codes.", .repeatedCode, .refused(.redirect, .repeatedParameter)),
        own("The redirect has neither code nor error.", .missingCode, .malformed(.redirect, "code")),
        own(
            "The redirect has an ID token and an access token.",
            .frontChannelTokens,
            .refused(.redirect, .unexpectedParameter)
        ),
        own(
            "The redirect has another user's code.",
            .injectedCode,
            .refused(
                SignInError(
                    .token,
                    .refused(
                        OAuthError(
                            code: .invalidGrant,
                            description: "The code is unknown, used, too old, or not for this request."
                        )
                    )
                )
            )
        ),
    ]

    private static let ownTokenModules: [Module] = [
        own("`iss` is missing.", .missingIssuer, .refused(.identity, .issuer)),
        own("`exp` is in the past.", .expired, .refused(.identity, .expiry)),
        own("`exp` is missing.", .missingExpiry, .refused(.identity, .expiry)),
        own("`nonce` is missing.", .missingNonce, .refused(.identity, .nonce)),
        own("`aud` also names another client.", .secondAudience, .refused(.identity, .audience)),
        own("`azp` is another client.", .invalidAuthorizedParty, .refused(.identity, .authorizedParty)),
        own("`sub` is empty.", .emptySubject, .refused(.identity, .subject)),
        own("`iat` is a week ago.", .staleIssuedAt, .refused(.identity, .issuedAt)),
        own("`iat` is in the future.", .futureIssuedAt, .refused(.identity, .issuedAt)),
        own("`nbf` is in the future.", .futureNotBefore, .refused(.identity, .notBefore)),
        own(
            "`at_hash` does not match the access token.",
            .invalidAccessTokenHash,
            .refused(.identity, .accessTokenHash)
        ),
        own(
            "`auth_time` is missing, although `max_age` was requested.",
            .missingAuthenticationTime,
            .refused(.identity, .authenticationTime),
            setting: Setting(request: AuthorizationRequest(maximumAge: .seconds(600)))
        ),
        own(
            "`auth_time` is older than `max_age`.",
            .staleAuthenticationTime,
            .refused(.identity, .authenticationTime),
            setting: Setting(request: AuthorizationRequest(maximumAge: .seconds(60)))
        ),
        own(
            "`acr` is none of the required values.",
            .otherAuthenticationContext,
            .refused(.identity, .authenticationContext),
            setting: Setting(
                request: AuthorizationRequest(authenticationContext: .required(["urn:ostiary:password"]))
            )
        ),
        own("The header has `crit`.", .criticalHeader, .refused(.identity, .critical)),
        own("No key of the issuer has the `kid`.", .unknownKeyID, .refused(.identity, .key)),
        own(
            "The header has the key that made the signature (`jwk`).",
            .embeddedKey,
            .refused(.identity, .signature)
        ),
        own(
            "The header names the URL of the key that made the signature (`jku`, `x5u`).",
            .linkedKey,
            .refused(.identity, .signature)
        ),
        own("The ID token has the `typ` of an access token.", .accessTokenType, .refused(.identity, .type)),
        own(
            "The ID token is encrypted, and expands to a gigabyte.",
            .encryptedIDToken,
            .malformed(.identity, "the token is not a JSON Web Token")
        ),
        own("The token response has no ID token.", .missingIDToken, .refused(.identity, .idToken)),
    ]

    private static let signedUserInfo = Setting(registered: { $0.userInfoAlgorithm = .rs256 })

    private static let ownExchangeModules: [Module] = [
        own(
            "The user info's signature is damaged.",
            .userInfoInvalidSignature,
            .refused(.userInfo, .signature),
            setting: signedUserInfo
        ),
        own(
            "The signed user info is for another client.",
            .userInfoInvalidAudience,
            .refused(.userInfo, .audience),
            setting: signedUserInfo
        ),
        own(
            "The user info is not signed, although the client is registered for it.",
            .none,
            .refused(.userInfo, .signedUserInfo),
            setting: Setting(change: { $0.validation.userInfoAlgorithm = .rs256 })
        ),
        own("The user info names no user.", .userInfoMissingSubject, .refused(.userInfo, .subject)),
        own("The refreshed ID token is for another client.", .refreshInvalidAudience, .refused(.identity, .audience)),
        own("The refreshed ID token has a new nonce.", .refreshUnexpectedNonce, .refused(.identity, .nonce)),
        own(
            "The refreshed ID token has an `auth_time` before the sign-in.",
            .refreshInvalidAuthenticationTime,
            .refused(.identity, .authenticationTime)
        ),
        own("The token type was not requested.", .otherTokenType, .refused(.token, .tokenType)),
        own(
            "The token endpoint redirects.",
            .redirectingTokenEndpoint,
            .refused(SignInError(.token, .transport(.redirectRefused)))
        ),
        own(
            "The metadata redirects.",
            .redirectingMetadata,
            .refused(SignInError(.discovery, .transport(.redirectRefused)))
        ),
        own("The token response is ten megabytes.", .hugeBody, .refused(SignInError(.token, .transport(.tooLarge)))),
        own(
            "The token response is an HTML page.",
            .htmlInsteadOfJSON,
            .malformed(.token, "the media type is not application/json")
        ),
        own("The token response is cut off.", .truncatedJSON, .malformed(.token, "the JSON is broken")),
        own(
            "The token response has a member twice.",
            .repeatedMember,
            .malformed(.token, "the JSON has a member twice")
        ),
    ]

    /// Oddities that break clients and must not break ours.
    private static let ownTraps: [Module] = [
        own(
            "Registers a client whose `client_id` and `client_secret` are full of punctuation.",
            .punctuatedCredentials,
            .accepted,
            setting: Setting(registers: true)
        ),
        own("The key set has unknown key types.", .unknownKeyType, .accepted),
        own("Each key follows others with the same `kid`.", .keySetDecoys, .accepted),
        own("The response types are listed in unusual order.", .unusualResponseTypes, .accepted),
        own("The token response has unknown members.", .unknownMembers, .accepted),
        own("The times have fractions.", .fractionalDates, .accepted),
        own("`scope` is missing.", .missingScope, .accepted),
        own("`expires_in` is a string.", .textualLifetime, .accepted),
        own("`token_type` is written `bEaReR`.", .tokenTypeCase, .accepted),
        own("`at_hash` is missing.", .missingAccessTokenHash, .accepted),
        own("The response to a refresh has no ID token.", .refreshWithoutIDToken, .accepted),
        own("The refreshed ID token has a later `auth_time`.", .refreshLaterAuthenticationTime, .accepted),
        own("The refreshed ID token repeats the `nonce` of the sign-in.", .refreshRepeatedNonce, .accepted),
        own("A new key under the old `kid` signs the refreshed ID token.", .refreshKeyUnderOldKeyID, .accepted),
        own("Another key replaces the old one under its `kid`.", .refreshKeyReplaced, .accepted),
        own(
            "The refreshed ID token has another `alg`, which the metadata now names.",
            .refreshOtherAlgorithm,
            .accepted
        ),
        own("The refresh token is not rotated.", .noRotation, .accepted),
        own("Redirects carry an `iss` that the metadata does not announce.", .unannouncedIssuer, .accepted),
    ]

    private static func ownFAPI(_ provider: String, _ scenario: Scenario, _ expectation: Expectation) -> Module {
        Module(.ownFAPI, scenario.name, provider, scenario, expectation)
    }

    private static let ownFAPIModules: [Module] = [
        ownFAPI("The ID token's signature is damaged.", .invalidSignature, .refused(.identity, .signature)),
        ownFAPI("`sub` is missing.", .missingSubject, .refused(.identity, .subject)),
        ownFAPI("`iat` is missing.", .missingIssuedAt, .refused(.identity, .issuedAt)),
        ownFAPI("Issues a bearer token for a request with a proof.", .bearerDowngrade, .refused(.token, .tokenType)),
        ownFAPI(
            "Rejects every proof and requires another nonce.",
            .endlessNonceChallenges,
            .refused(
                SignInError(
                    .token,
                    .refused(
                        OAuthError(
                            code: .useDPoPNonce,
                            description: "The DPoP proof must carry the nonce of this response."
                        )
                    )
                )
            )
        ),
        ownFAPI("Both nonces change with every response.", .rotatingNonces, .accepted),
        ownFAPI("Responds to a pushed request with 200.", .pushedWithOK, .accepted),
        ownFAPI(
            "Responds to a pushed request with an HTML page.",
            .pushedWithPage,
            .refused(SignInError(.authorization, .server(status: 400)))
        ),
        ownFAPI(
            "Refuses the pushed request.",
            .pushedRefused,
            .refused(
                SignInError(.authorization, .refused(OAuthError(code: .invalidRequest, description: "No.")))
            )
        ),
        ownFAPI(
            "The response to the pushed request lacks `request_uri`.",
            .missingRequestURI,
            .malformed(.authorization, "the response's request_uri")
        ),
        ownFAPI(
            "The response to the pushed request has an empty `request_uri`.",
            .emptyRequestURI,
            .malformed(.authorization, "the response's request_uri")
        ),
        ownFAPI(
            "The response to the pushed request lacks `expires_in`.",
            .missingRequestLifetime,
            .malformed(.authorization, "the response's expires_in")
        ),
        ownFAPI(
            "The response to the pushed request has a negative `expires_in`.",
            .negativeRequestLifetime,
            .malformed(.authorization, "the response's expires_in")
        ),
    ]
}
