extension Scenario {
    /// Every scenario, to choose from by name.
    public static let all: [Scenario] =
        [
            .none,
            .invalidIssuer, .missingIssuer, .invalidAudience, .missingAudience, .secondAudience,
            .invalidAuthorizedParty,
            .invalidSubject, .missingSubject, .emptySubject, .missingIssuedAt, .staleIssuedAt, .futureIssuedAt,
            .missingExpiry, .expired,
            .invalidNonce, .missingNonce, .invalidAccessTokenHash, .missingAccessTokenHash, .missingAuthenticationTime,
            .staleAuthenticationTime, .fractionalDates, .invalidSignature, .unsigned, .symmetricSignature,
            .unknownKeyID,
            .absentKeyID, .criticalHeader, .refreshInvalidIssuer, .refreshInvalidSubject, .refreshInvalidAudience,
            .refreshUnexpectedNonce, .refreshInvalidAuthenticationTime, .refreshLaterAuthenticationTime,
            .refreshRepeatedNonce, .refreshKeyUnderOldKeyID, .refreshKeyReplaced, .refreshOtherAlgorithm, .keyRotation,
            .issuerMismatch, .unannouncedIssuer, .missingResponseIssuer, .invalidResponseIssuer, .missingState,
            .invalidState,
            .repeatedState, .repeatedCode, .missingCode, .missingTokenType, .otherTokenType, .tokenTypeCase,
            .missingAccessToken, .missingIDToken, .missingScope, .missingLifetime, .textualLifetime, .unknownMembers,
            .noRotation, .refreshWithoutIDToken, .userInfoInvalidSubject, .userInfoMissingSubject, .htmlInsteadOfJSON,
            .truncatedJSON, .repeatedMember, .hugeBody, .redirectingTokenEndpoint, .unavailable, .unknownKeyType,
            .keySetDecoys, .bearerDowngrade, .endlessNonceChallenges, .hugeNonce, .challengeWithoutNonce,
            .rotatingNonces,
            .challengeSchemeCase, .invertedTokenType, .pushedWithOK, .pushedWithPage, .pushedRefused,
            .missingRequestURI,
            .emptyRequestURI, .missingRequestLifetime, .zeroRequestLifetime, .negativeRequestLifetime, .invalidTarget,
            .devicePending, .deviceSlowDown, .deviceUnavailable, .deviceDenied, .deviceExpired, .missingDeviceCode,
            .missingUserCode, .missingVerificationURI, .missingCompleteVerificationURI, .missingDeviceLifetime,
            .missingPollInterval, .missingIssuedTokenType, .otherIssuedTokenType, .exchangedTokenNotForUse,
            .missingActive, .textualActive, .introspectionNotJSON,
            .registrationOK, .missingClientID, .missingSecretExpiry, .registrationElsewhere, .missingRegistrationURI,
            .missingRegistrationToken, .punctuatedCredentials, .rotatedRegistrationToken, .rotatedClientSecret,
            .registrationGone,
            .frontChannelTokens, .injectedCode, .futureNotBefore, .otherAuthenticationContext, .embeddedKey,
            .linkedKey, .accessTokenType, .encryptedIDToken, .userInfoInvalidSignature, .userInfoInvalidAudience,
            .redirectingMetadata, .unusualResponseTypes, .absentKeyIDs, .endSessionInvalidState,
            .endSessionMissingState, .offlineAccessNeedsConsent, .offlineAccessIgnored,
            .offlineAccessWithoutRefreshToken, .offlineAccessUnknown, .deviceProofKeyRequired, .deviceProofKeyRejected,
        ] + fapi

    /// The scenario with a name, of ``all`` or such as `status-503` (``failing(with:)``); `nil` for none.
    public static func named(_ name: String) -> Scenario? {
        all.first { $0.name == name } ?? failing(named: name)
    }
}
