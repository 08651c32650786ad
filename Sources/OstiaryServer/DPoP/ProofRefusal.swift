public import OstiaryOAuth

/// The check that a DPoP proof failed. (RFC 9449 section 4.3)
///
/// It contains nothing of the proof.
public enum ProofRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// There is no proof, or more than one.
    case count
    /// The proof is not a compact JSON Web Token with a JSON payload, or is too long.
    case form
    /// `typ` is not `dpop+jwt`.
    case type = "typ"
    /// `alg` is not an accepted one.
    case algorithm = "alg"
    /// There is no `jwk`, or it is not a public key that can verify this signature.
    case key = "jwk"
    /// `jwk` contains a private or a shared key.
    case privateKey
    /// The signature is invalid.
    case signature
    /// `jti` is missing, empty or too long.
    case identifier = "jti"
    /// `htm` is not the request's method.
    case method = "htm"
    /// `htu` is not the request's URL.
    case url = "htu"
    /// `iat` is missing, too old or in the future.
    case time = "iat"
    /// `ath` is not the hash of the access token.
    case accessTokenHash = "ath"
    /// The proof has no nonce of this server, or an expired one.
    case nonce
    /// The proof was used before.
    case replayed
    /// The key has used too many proofs recently.
    case tooMany

    init(_ failure: DPoPProofCheck.Failure) {
        switch failure {
        case .form: self = .form
        case .type: self = .type
        case .algorithm: self = .algorithm
        case .key: self = .key
        case .privateKey: self = .privateKey
        case .signature: self = .signature
        case .identifier: self = .identifier
        case .method: self = .method
        case .url: self = .url
        case .time: self = .time
        case .nonce: self = .form
        case .accessTokenHash: self = .accessTokenHash
        }
    }

    /// The seconds after which a key with too many proofs may send some again.
    static let pause = 10

    /// The OAuth error that the client receives: `use_dpop_nonce` when only the nonce was invalid, and otherwise
    /// `invalid_dpop_proof` (RFC 9449 sections 7.1 and 9).
    public var code: OAuthError.Code { self == .nonce ? .useDPoPNonce : .invalidDPoPProof }
}

extension ProofRefusal: CustomStringConvertible {
    /// The failure as a fixed sentence for developers; suitable for `error_description`.
    public var description: String {
        switch self {
        case .count: "The request needs one DPoP field."
        case .form: "The DPoP proof is not a JSON Web Token, or is too long."
        case .type: "The DPoP proof's typ is not dpop+jwt."
        case .algorithm: "The DPoP proof's alg is not accepted."
        case .key: "The DPoP proof has no jwk that can verify its signature."
        case .privateKey: "The DPoP proof's jwk contains private members: replace that key."
        case .signature: "The DPoP proof's signature is invalid."
        case .identifier: "The DPoP proof's jti is missing or too long."
        case .method: "The DPoP proof's htm is not this request's method."
        case .url: "The DPoP proof's htu is not this request's URL."
        case .time: "The DPoP proof's iat is missing, too old or in the future."
        case .accessTokenHash: "The DPoP proof's ath is not the hash of this access token."
        case .nonce: "The DPoP proof must carry the nonce of this response."
        case .replayed: "The DPoP proof was used before."
        case .tooMany: "This key has used too many DPoP proofs."
        }
    }
}
