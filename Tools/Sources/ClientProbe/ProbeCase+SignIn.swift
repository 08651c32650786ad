import OstiaryProvider

/// The scenarios that every client with the authorization code flow meets.
extension ProbeCase {
    private static func core(_ number: Int) -> String { "OpenID Connect Core section 3.1.3.7 (\(number))" }
    private static let claims = "OpenID Connect Core section 2"

    static let identity: [ProbeCase] = [
        ProbeCase(.invalidIssuer, .required, "The ID token is another issuer's.", core(2)),
        ProbeCase(.missingIssuer, .required, "The ID token has no iss.", core(2)),
        ProbeCase(.invalidAudience, .required, "The ID token is for another client.", core(3)),
        ProbeCase(.missingAudience, .required, "The ID token has no aud.", core(3)),
        ProbeCase(.secondAudience, .required, "The ID token is for another client as well.", core(3)),
        ProbeCase(.invalidAuthorizedParty, .recommended, "azp of the ID token is another client.", core(5)),
        ProbeCase(.missingSubject, .required, "The ID token has no sub.", claims),
        ProbeCase(.emptySubject, .recommended, "sub of the ID token is empty.", claims),
        ProbeCase(.missingIssuedAt, .required, "The ID token has no iat.", claims),
        ProbeCase(.staleIssuedAt, .recommended, "The ID token was issued a week ago.", core(10)),
        ProbeCase(.futureIssuedAt, .recommended, "The ID token was issued in an hour.", core(10)),
        ProbeCase(.missingExpiry, .required, "The ID token has no exp.", core(9)),
        ProbeCase(.expired, .required, "The ID token has expired.", core(9)),
        ProbeCase(.futureNotBefore, .required, "The ID token is not valid yet.", "RFC 7519 section 4.1.5"),
        ProbeCase(.invalidNonce, .required, "The ID token has another nonce than the request.", core(11)),
        ProbeCase(.missingNonce, .required, "The ID token lacks the nonce of the request.", core(11)),
        ProbeCase(
            .invalidAccessTokenHash,
            .recommended,
            "at_hash is another token's.",
            "OpenID Connect Core section 3.1.3.8"
        ),
        ProbeCase(.invalidSignature, .required, "The signature of the ID token is damaged.", core(6)),
        ProbeCase(.unsigned, .required, "The ID token is not signed (alg none).", "RFC 8725 section 3.2"),
        ProbeCase(
            .symmetricSignature,
            .required,
            "The ID token has an HMAC that anyone can make.",
            "RFC 8725 section 2.1"
        ),
        ProbeCase(.unknownKeyID, .recommended, "The ID token names a key that the key set lacks.", core(6)),
        ProbeCase(.criticalHeader, .required, "The header requires an unknown extension.", "RFC 7515 section 4.1.11"),
        ProbeCase(.embeddedKey, .required, "The ID token brings the key that signed it.", "RFC 8725 section 3.10"),
        ProbeCase(.linkedKey, .required, "The ID token links to the key that signed it.", "RFC 8725 section 3.10"),
        ProbeCase(
            .accessTokenType,
            .recommended,
            "The ID token says that it is an access token.",
            "RFC 8725 section 3.11"
        ),
        ProbeCase(
            .encryptedIDToken,
            .recommended,
            "The ID token is encrypted without an agreement.",
            "OpenID Connect Core section 3.1.3.7 (1)"
        ),
        ProbeCase(
            .missingAuthenticationTime,
            .required,
            "The ID token lacks auth_time.",
            core(13),
            in: .maximumAge
        ),
        ProbeCase(.staleAuthenticationTime, .required, "The user signed in before max_age.", core(13), in: .maximumAge),
        ProbeCase(
            .otherAuthenticationContext,
            .recommended,
            "acr is not among those requested.",
            core(12),
            in: .authenticationContext
        ),
    ]

    static let responses: [ProbeCase] = [
        ProbeCase(.missingState, .required, "The redirect lacks state.", "RFC 6749 section 10.12"),
        ProbeCase(.invalidState, .required, "The redirect has another state.", "RFC 6749 section 10.12"),
        ProbeCase(.repeatedState, .recommended, "The redirect has state twice.", "RFC 6749 section 3.1"),
        ProbeCase(.repeatedCode, .recommended, "The redirect has two codes.", "RFC 6749 section 3.1"),
        ProbeCase(.missingCode, .required, "The redirect has no code.", "RFC 6749 section 4.1.2"),
        ProbeCase(.injectedCode, .required, "The redirect has a code of another sign-in.", "RFC 9700 section 4.5"),
        ProbeCase(.frontChannelTokens, .recommended, "The redirect carries tokens.", "RFC 9700 section 2.1.2"),
        ProbeCase(
            .missingResponseIssuer,
            .recommended,
            "The redirect lacks the iss that the metadata promises.",
            "RFC 9207 section 2.4"
        ),
        ProbeCase(.invalidResponseIssuer, .recommended, "The redirect has another iss.", "RFC 9207 section 2.4"),
        ProbeCase(.missingTokenType, .recommended, "The token response lacks token_type.", "RFC 6749 section 5.1"),
        ProbeCase(.otherTokenType, .required, "token_type is unknown.", "RFC 6749 section 7.1"),
        ProbeCase(.missingAccessToken, .required, "The token response has no access_token.", "RFC 6749 section 5.1"),
        ProbeCase(
            .missingIDToken,
            .required,
            "The token response has no id_token.",
            "OpenID Connect Core section 3.1.3.3"
        ),
        ProbeCase(.htmlInsteadOfJSON, .required, "The token endpoint responds with a page.", "RFC 6749 section 5.1"),
        ProbeCase(
            .truncatedJSON,
            .required,
            "The JSON of the token response ends in the middle.",
            "RFC 8259 section 2"
        ),
        ProbeCase(.repeatedMember, .recommended, "The token response has a member twice.", "RFC 8259 section 4"),
        ProbeCase(.hugeBody, .recommended, "The token response has 10 MB.", "RFC 9110 section 17.3"),
        ProbeCase(
            .redirectingTokenEndpoint,
            .recommended,
            "The token endpoint redirects elsewhere.",
            "RFC 9700 section 4.12"
        ),
    ]

    static let keys: [ProbeCase] = [
        ProbeCase(.issuerMismatch, .required, "The metadata names another issuer.", "RFC 8414 section 3.3"),
        ProbeCase(.redirectingMetadata, .recommended, "The metadata redirects elsewhere.", "RFC 8414 section 3.2"),
        ProbeCase(
            .keyRotation,
            .harmless,
            "New keys sign, and the old ones are withdrawn.",
            "OpenID Connect Core section 10.1.1"
        ),
        ProbeCase(.unknownKeyType, .harmless, "The key set has a key of an unknown type.", "RFC 7517 section 5"),
        ProbeCase(
            .keySetDecoys,
            .harmless,
            "Other keys with the same kid stand before the right one.",
            "RFC 7517 section 4.5"
        ),
        ProbeCase(.absentKeyID, .harmless, "The one key has no kid.", "OpenID Connect Core section 10.1"),
    ]

    static let tolerance: [ProbeCase] = [
        ProbeCase(
            .missingAccessTokenHash,
            .harmless,
            "The ID token has no at_hash.",
            "OpenID Connect Core section 3.1.3.6"
        ),
        ProbeCase(.fractionalDates, .harmless, "The times have fractions.", "RFC 7519 section 2"),
        ProbeCase(
            .unannouncedIssuer,
            .harmless,
            "The redirect has an iss that was not announced.",
            "RFC 6749 section 4.1.2"
        ),
        ProbeCase(.tokenTypeCase, .harmless, "token_type is written in another case.", "RFC 6749 section 5.1"),
        ProbeCase(.invertedTokenType, .harmless, "token_type is written with inverted case.", "RFC 6749 section 5.1"),
        ProbeCase(.missingScope, .harmless, "The token response has no scope.", "RFC 6749 section 5.1"),
        ProbeCase(.missingLifetime, .harmless, "The token response has no expires_in.", "RFC 6749 section 5.1"),
        ProbeCase(
            .textualLifetime,
            .harmless,
            "expires_in is a string, as some servers send it.",
            "RFC 6749 section 5.1"
        ),
        ProbeCase(.unknownMembers, .harmless, "The token response has unknown members.", "RFC 6749 section 5.1"),
        ProbeCase(
            .unusualResponseTypes,
            .harmless,
            "Response types are listed in another order.",
            "RFC 6749 section 3.1.1"
        ),
    ]
}
