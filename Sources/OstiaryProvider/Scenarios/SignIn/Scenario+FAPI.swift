import OstiaryJOSE
import OstiaryOAuth

/// The client modules of the FAPI 2.0 Security Profile, under the names of the OpenID Foundation's suite.
///
/// As there, every proof needs a nonce that changes often, and the key set has decoys with the same `kid`, whatever
/// else a module changes.
extension Scenario {
    /// No fault.
    public static let fapiHappyPath = fapi("happy-path", like: .none)
    /// Proofs need no nonces.
    public static let fapiNoNonce = fapi("happy-path-no-dpop-nonce", like: .none) { $0.dpopNonces = .unasked }
    /// The metadata names another issuer.
    public static let fapiIssuerMismatch = fapi("discovery-issuer-mismatch", like: .issuerMismatch)
    /// The ID token is another issuer's.
    public static let fapiInvalidIssuer = fapi("invalid-iss", like: .invalidIssuer)
    /// The ID token is for another client.
    public static let fapiInvalidAudience = fapi("invalid-aud", like: .invalidAudience)
    /// The ID token is for another client too, and has no `azp`.
    public static let fapiInvalidSecondAudience = fapi("invalid-secondary-aud", like: .none) { scenario in
        scenario.idToken = { draft in
            let client = draft.claims["aud"]?.string ?? ""
            draft.claims["aud"] = .strings([client, client + "1"])
        }
    }
    /// The ID token is not signed.
    public static let fapiUnsigned = fapi("invalid-null-alg", like: .unsigned)
    /// The ID token is signed with RS256, by another key of the key set.
    public static let fapiAlternateAlgorithm = fapi("invalid-alternate-alg", like: .none) { scenario in
        scenario.idToken = { draft in
            guard let key = draft.otherKeys.first(where: { $0.algorithm == .rs256 }) ?? draft.otherKeys.first else {
                return
            }
            draft.header["alg"] = .string(key.algorithm.rawValue)
            draft.header["kid"] = .string(key.keyID)
            draft.signature = .other { (try? key.signature(for: $0)) ?? [] }
        }
    }
    /// The ID token ended six minutes ago.
    public static let fapiExpired = fapi("invalid-expired-exp", like: .none) { scenario in
        scenario.idToken = { draft in
            draft.claims["exp"] = .integer((draft.claims["iat"]?.integer ?? 0) - 360)
        }
    }
    /// The ID token has no `exp`.
    public static let fapiMissingExpiry = fapi("invalid-missing-exp", like: .missingExpiry)
    /// The ID token has no `aud`.
    public static let fapiMissingAudience = fapi("invalid-missing-aud", like: .missingAudience)
    /// The ID token has no `iss`.
    public static let fapiMissingIssuer = fapi("invalid-missing-iss", like: .missingIssuer)
    /// `aud` is a list with the client alone: to be accepted.
    public static let fapiAudienceList = fapi("valid-aud-as-array", like: .none) { scenario in
        scenario.idToken = { draft in
            if let audience = draft.claims["aud"] { draft.claims["aud"] = .array([audience]) }
        }
    }
    /// The ID token belongs to another sign-in.
    public static let fapiInvalidNonce = fapi("invalid-nonce", like: .invalidNonce)
    /// The ID token has no `nonce`.
    public static let fapiMissingNonce = fapi("invalid-missing-nonce", like: .missingNonce)
    /// The redirect has another `iss`.
    public static let fapiInvalidResponseIssuer = fapi(
        "invalid-authorization-response-iss",
        like: .invalidResponseIssuer
    )
    /// The redirect lacks `iss`.
    public static let fapiMissingResponseIssuer = fapi(
        "remove-authorization-response-iss",
        like: .missingResponseIssuer
    )
    /// The redirect has another `state`.
    public static let fapiInvalidState = fapi(
        "ensure-authorization-response-with-invalid-state-fails",
        like: .invalidState
    )
    /// The redirect lacks `state`.
    public static let fapiMissingState = fapi(
        "ensure-authorization-response-with-invalid-missing-state-fails",
        like: .missingState
    )
    /// The token response has no `expires_in`: to be accepted.
    public static let fapiMissingLifetime = fapi("token-endpoint-response-without-expires_in", like: .missingLifetime)
    /// `token_type` with every letter in the other case: to be accepted.
    public static let fapiTokenTypeCase = fapi("token-type-case-insensitivity", like: .invertedTokenType)
    /// User info writes the scheme of its challenge `dPoP`: to be accepted.
    public static let fapiChallengeSchemeCase = fapi(
        "rs-dpop-auth-scheme-case-insensitivity",
        like: .challengeSchemeCase
    )

    /// Every module.
    static let fapi: [Scenario] = [
        .fapiHappyPath, .fapiNoNonce, .fapiIssuerMismatch, .fapiInvalidIssuer, .fapiInvalidAudience,
        .fapiInvalidSecondAudience, .fapiUnsigned, .fapiAlternateAlgorithm, .fapiExpired, .fapiMissingExpiry,
        .fapiMissingAudience, .fapiMissingIssuer, .fapiAudienceList, .fapiInvalidNonce, .fapiMissingNonce,
        .fapiInvalidResponseIssuer, .fapiMissingResponseIssuer, .fapiInvalidState, .fapiMissingState,
        .fapiMissingLifetime, .fapiTokenTypeCase, .fapiChallengeSchemeCase,
    ]

    private static func fapi(
        _ name: String,
        like other: Scenario,
        _ change: (inout Scenario) -> Void = { _ in }
    ) -> Scenario {
        Scenario(name: "fapi2-security-profile-final-client-test-" + name, from: other) {
            $0.dpopNonces = .replaced
            $0.keySet = Scenario.keySetDecoys.keySet
            change(&$0)
        }
    }
}
