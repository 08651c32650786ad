public import OstiaryOAuth

/// Why a proof of possession was refused. (RFC 9449 section 4.3)
///
/// It holds nothing of the proof.
public enum ProofRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// There is none, or several.
    case count
    /// It is not a compact JSON Web Token with a JSON payload, or is too long.
    case form
    /// `typ` is not `dpop+jwt`.
    case type = "typ"
    /// `alg` is not one of those accepted.
    case algorithm = "alg"
    /// There is no `jwk`, or it is not a public key that can check this signature.
    case key = "jwk"
    /// `jwk` holds a private or a shared key.
    case privateKey
    /// The key did not make the signature.
    case signature
    /// `jti` is missing, empty or too long.
    case identifier = "jti"
    /// `htm` is another method.
    case method = "htm"
    /// `htu` is another URL.
    case url = "htu"
    /// `iat` is missing, too old or in the future.
    case time = "iat"
    /// `ath` is not the hash of the access token.
    case accessTokenHash = "ath"
    /// It has no nonce of this server's, or an old one.
    case nonce
    /// It was shown before.
    case replayed
    /// The sender has shown too many for now.
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

    /// The seconds after which a key that has shown too many proofs has room for some again.
    static let pause = 10

    /// The OAuth error that a client is told: `use_dpop_nonce` when another nonce is all that it takes, and else
    /// `invalid_dpop_proof` (RFC 9449 sections 7.1 and 9).
    public var code: OAuthError.Code { self == .nonce ? .useDPoPNonce : .invalidDPoPProof }
}

extension ProofRefusal: CustomStringConvertible {
    /// What is wrong, as a fixed sentence for developers; fit for `error_description`.
    public var description: String {
        switch self {
        case .count: "The request needs one DPoP field."
        case .form: "The DPoP proof is not a JSON Web Token, or is too long."
        case .type: "The DPoP proof's typ is not dpop+jwt."
        case .algorithm: "The DPoP proof's alg is not accepted."
        case .key: "The DPoP proof has no jwk that can check its signature."
        case .privateKey: "The DPoP proof's jwk has private members: throw that key away."
        case .signature: "The DPoP proof's signature is wrong."
        case .identifier: "The DPoP proof has no jti, or a too long one."
        case .method: "The DPoP proof's htm is not this request's method."
        case .url: "The DPoP proof's htu is not this request's URL."
        case .time: "The DPoP proof's iat is missing, too old or in the future."
        case .accessTokenHash: "The DPoP proof's ath is not the hash of this access token."
        case .nonce: "The DPoP proof has to carry the nonce of this answer."
        case .replayed: "The DPoP proof was used before."
        case .tooMany: "There were too many DPoP proofs by this key."
        }
    }
}
