public import OstiaryOAuth

/// The errors of Logto's core, under its own names; none holds a secret.
public enum LogtoErrors {
    /// A token that cannot be taken apart.
    public enum Decoding: String, Error, Sendable, Hashable {
        /// The text has no payload: an opaque token, or no token.
        case noPayloadFound
        /// Its payload is not base64url.
        case invalidUrlSafeBase64Encoding
    }

    /// A check that an ID token did not pass.
    public enum Verification: Error, Sendable, Hashable {
        /// There are no keys.
        case missingJwk
        /// There are keys, and none of a kind that signs.
        case unsupportedJwkType
        /// No key fits the token.
        case noSigningKeyMatched
        /// It does not say how it is signed.
        case jwtMissingAlgorithmInHeader
        /// The token is signed with an algorithm that Logto does not use.
        case unsupportedAlgorithm
        /// The token has expired.
        case jwtExpired
        /// It was made too long ago, or will be.
        case jwtIssuedTimeIncorrect
        /// A value is not the one expected.
        case jwtValueMismatched(JwtField)
    }

    /// A redirect that is not a valid response.
    public enum UriVerification: Error, Sendable, Hashable {
        /// It goes elsewhere.
        case redirectUriMismatched
        /// Its query cannot be read, or repeats a parameter that may occur once.
        case decodeComponentsFailed
        /// The redirect belongs to another sign-in.
        case stateMismatched
        /// It comes from another issuer.
        case issuerMismatched
        /// It brings an error.
        case errorItemFound(OAuthError)
        /// It brings no code.
        case missingCode
    }

    /// A URL that cannot be made.
    public enum UrlConstruction: String, Error, Sendable, Hashable {
        /// The endpoint is not an https URL; http is for loopback hosts.
        case invalidEndpoint
        /// The URL cannot be made of its parts.
        case unableToConstructUrl
    }

    /// An invalid response.
    public enum Response: Error, Sendable, Hashable {
        /// No response came.
        case noResponse(TransportFailure)
        /// The response has a status other than success; redirects count as failures.
        case withCode(Int)
    }
}

/// A field of a token.
public enum JwtField: String, Sendable, Hashable {
    /// `iss`.
    case issuer = "iss"
    /// `aud`.
    case audience = "aud"
    /// `azp`.
    case authorizedParty = "azp"
    /// `sub`.
    case subject = "sub"
    /// `nonce`.
    case nonce
    /// `at_hash`.
    case accessTokenHash = "at_hash"
    /// Any other.
    case other
}

extension LogtoErrors.Verification {
    /// The name of a failed check among Logto's.
    init(_ check: SignInError.Check) {
        switch check {
        case .issuer: self = .jwtValueMismatched(.issuer)
        case .audience: self = .jwtValueMismatched(.audience)
        case .authorizedParty: self = .jwtValueMismatched(.authorizedParty)
        case .subject: self = .jwtValueMismatched(.subject)
        case .nonce: self = .jwtValueMismatched(.nonce)
        case .accessTokenHash: self = .jwtValueMismatched(.accessTokenHash)
        case .expiry: self = .jwtExpired
        case .issuedAt, .notBefore: self = .jwtIssuedTimeIncorrect
        case .algorithm: self = .unsupportedAlgorithm
        case .key, .signature: self = .noSigningKeyMatched
        default: self = .jwtValueMismatched(.other)
        }
    }
}

extension LogtoErrors.UriVerification {
    /// Logto's name for the fault of a redirect.
    init(_ reason: SignInError.Reason) {
        switch reason {
        case .mismatch(.redirectURI): self = .redirectUriMismatched
        case .mismatch(.state): self = .stateMismatched
        case .mismatch(.issuer): self = .issuerMismatched
        case .refused(let error): self = .errorItemFound(error)
        case .malformed("code"): self = .missingCode
        default: self = .decodeComponentsFailed
        }
    }
}
