import OstiaryProvider

/// The scenarios that reach a client which uses more than the authorization code flow.
extension ProbeCase {
    static let userInfo: [ProbeCase] = [
        ProbeCase(
            .userInfoInvalidSubject,
            .required,
            "User info is about another user.",
            "OpenID Connect Core section 5.3.2",
            in: .userInfo
        ),
        ProbeCase(
            .userInfoMissingSubject,
            .required,
            "User info has no sub.",
            "OpenID Connect Core section 5.3.2",
            in: .userInfo
        ),
        ProbeCase(
            .invalidSubject,
            .required,
            "The ID token is about another user than user info.",
            "OpenID Connect Core section 5.3.2",
            in: .userInfo
        ),
        ProbeCase(
            .userInfoInvalidSignature,
            .required,
            "The signature of user info is damaged.",
            "OpenID Connect Core section 5.3.4",
            in: .signedUserInfo
        ),
        ProbeCase(
            .userInfoInvalidAudience,
            .recommended,
            "Signed user info is for another client.",
            "OpenID Connect Core section 5.3.2",
            in: .signedUserInfo
        ),
    ]

    private static let refreshed = "OpenID Connect Core section 12.2"

    static let refresh: [ProbeCase] = [
        of(.refresh, .refreshInvalidIssuer, .required, "The refreshed ID token is another issuer's.", refreshed),
        of(.refresh, .refreshInvalidSubject, .required, "The refreshed ID token is about another user.", refreshed),
        of(.refresh, .refreshInvalidAudience, .required, "The refreshed ID token is for another client.", refreshed),
        of(.refresh, .refreshUnexpectedNonce, .recommended, "The refreshed ID token has an unknown nonce.", refreshed),
        of(.refresh, .refreshInvalidAuthenticationTime, .recommended, "auth_time has moved into the past.", refreshed),
        of(.refresh, .refreshLaterAuthenticationTime, .harmless, "auth_time is later.", refreshed),
        of(.refresh, .refreshRepeatedNonce, .harmless, "The refreshed ID token repeats the nonce.", refreshed),
        of(.refresh, .refreshKeyUnderOldKeyID, .harmless, "A new key signs under the old kid.", "RFC 7517 section 4.5"),
        of(
            .refresh,
            .refreshKeyReplaced,
            .harmless,
            "A new key replaces the old one under its kid.",
            "RFC 7517 section 4.5"
        ),
        of(.refresh, .refreshOtherAlgorithm, .harmless, "Another algorithm signs from now on.", "RFC 8414 section 2"),
        of(.refresh, .noRotation, .harmless, "The refresh token stays the same.", "RFC 6749 section 6"),
        of(.refresh, .refreshWithoutIDToken, .harmless, "The refresh has no ID token.", refreshed),
    ]

    private static let pushed = "RFC 9126 section 2.2"
    private static let proof = "RFC 9449 section 8"
    private static let deviceCodes = "RFC 8628 section 3.2"
    private static let devicePolls = "RFC 8628 section 3.5"
    private static let exchanged = "RFC 8693 section 2.2.1"
    private static let introspected = "RFC 7662 section 2.2"
    private static let registered = "RFC 7591 section 3.2.1"

    static let others: [ProbeCase] = [
        of(.pushedRequest, .pushedWithOK, .harmless, "A pushed request gets status 200.", pushed),
        of(.pushedRequest, .pushedWithPage, .required, "A pushed request gets a page.", pushed),
        of(
            .pushedRequest,
            .missingRequestURI,
            .required,
            "The response to a pushed request lacks request_uri.",
            pushed
        ),
        of(.pushedRequest, .emptyRequestURI, .required, "request_uri is empty.", pushed),
        of(
            .pushedRequest,
            .missingRequestLifetime,
            .recommended,
            "The response to a pushed request lacks expires_in.",
            pushed
        ),
        of(.proofOfPossession, .bearerDowngrade, .required, "The bound token is called Bearer.", "RFC 9449 section 5"),
        of(.proofOfPossession, .endlessNonceChallenges, .required, "Each proof is challenged.", proof),
        of(.proofOfPossession, .hugeNonce, .recommended, "The nonce has 100,000 characters.", proof),
        of(.proofOfPossession, .challengeWithoutNonce, .required, "A challenge names no nonce.", proof),
        of(.proofOfPossession, .rotatingNonces, .harmless, "The nonce changes with each response.", proof),
        of(
            .proofOfPossession,
            .challengeSchemeCase,
            .harmless,
            "The scheme is written in another case.",
            "RFC 9110 section 11.1"
        ),
        of(.device, .devicePending, .harmless, "Three polls are pending.", devicePolls),
        of(.device, .deviceSlowDown, .harmless, "A poll gets slow_down.", devicePolls),
        of(.device, .deviceUnavailable, .harmless, "A poll finds the server busy.", devicePolls),
        of(.device, .deviceDenied, .required, "The user denies.", devicePolls),
        of(.device, .deviceExpired, .required, "The device code expires.", devicePolls),
        of(.device, .missingDeviceCode, .required, "The response lacks device_code.", deviceCodes),
        of(.device, .missingUserCode, .required, "The response lacks user_code.", deviceCodes),
        of(.device, .missingVerificationURI, .required, "The response lacks verification_uri.", deviceCodes),
        of(
            .device,
            .missingCompleteVerificationURI,
            .harmless,
            "The response lacks verification_uri_complete.",
            deviceCodes
        ),
        of(.device, .missingDeviceLifetime, .recommended, "The response lacks expires_in.", deviceCodes),
        of(.device, .missingPollInterval, .harmless, "The response lacks interval.", deviceCodes),
        of(.tokenExchange, .missingIssuedTokenType, .required, "The response lacks issued_token_type.", exchanged),
        of(.tokenExchange, .otherIssuedTokenType, .required, "issued_token_type is another one.", exchanged),
        of(
            .tokenExchange,
            .exchangedTokenNotForUse,
            .required,
            "The exchanged access token is called none.",
            exchanged
        ),
        of(.introspection, .missingActive, .required, "The introspection response lacks active.", introspected),
        of(.introspection, .textualActive, .required, "active is a string.", introspected),
        of(.introspection, .introspectionNotJSON, .required, "The introspection response is not JSON.", introspected),
        of(.registration, .registrationOK, .harmless, "A registration gets status 200.", registered),
        of(.registration, .missingClientID, .required, "The registration response lacks client_id.", registered),
        of(.registration, .missingSecretExpiry, .recommended, "A secret comes without its expiry.", registered),
        of(
            .registration,
            .registrationElsewhere,
            .recommended,
            "The registration is managed at another origin.",
            "RFC 7592 section 3"
        ),
        of(
            .registration,
            .missingRegistrationURI,
            .recommended,
            "A management token comes without its address.",
            "RFC 7592 section 3"
        ),
        of(
            .registration,
            .missingRegistrationToken,
            .recommended,
            "A management address comes without its token.",
            "RFC 7592 section 3"
        ),
        of(
            .registration,
            .punctuatedCredentials,
            .harmless,
            "Identifier and secret have punctuation.",
            "RFC 6749 section 2.3.1"
        ),
        of(.registration, .rotatedRegistrationToken, .harmless, "The management token rotates.", "RFC 7592 section 3"),
        of(.registration, .rotatedClientSecret, .harmless, "The client secret rotates.", "RFC 7592 section 3"),
        of(.registration, .registrationGone, .required, "The registration is gone.", "RFC 7592 section 2.1"),
        of(
            .signOut,
            .endSessionInvalidState,
            .recommended,
            "The redirect after signing out has another state.",
            "OpenID Connect RP-Initiated Logout section 3"
        ),
        of(
            .signOut,
            .endSessionMissingState,
            .recommended,
            "The redirect after signing out lacks state.",
            "OpenID Connect RP-Initiated Logout section 3"
        ),
    ]

    private static func of(
        _ part: Part,
        _ scenario: Scenario,
        _ expectation: Expectation,
        _ fault: String,
        _ source: String
    ) -> ProbeCase {
        ProbeCase(scenario, expectation, fault, source, in: part)
    }
}
