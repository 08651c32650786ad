import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Faults, and oddities to be accepted, of proofs of possession (RFC 9449).
extension Scenario {
    /// The token response says `Bearer`, though the client sent a proof: to be refused, not fallen back to.
    public static let bearerDowngrade = Scenario(name: "dpop-bearer-downgrade") {
        $0.tokenResponse = { response, _ in response["token_type"] = "Bearer" }
    }
    /// Every proof is challenged, whatever nonce it carries: to be given up after one retry.
    public static let endlessNonceChallenges = Scenario(name: "dpop-endless-nonce-challenges") {
        $0.dpopNonces = .refused
    }
    /// The nonce of a challenge has 100,000 characters.
    public static let hugeNonce = Scenario(name: "dpop-huge-nonce") {
        $0.dpopNonces = .refused
        $0.response = { _, response in
            guard response.fields[.dpopNonce] != nil else { return }
            response.fields[.dpopNonce] = String(repeating: "n", count: 100_000)
        }
    }
    /// A challenge requires a nonce and names none: to be rejected, because a retry could only be the same.
    public static let challengeWithoutNonce = Scenario(name: "dpop-challenge-without-nonce") {
        $0.dpopNonces = .refused
        $0.response = { _, response in response.fields[.dpopNonce] = nil }
    }
    /// Proofs need nonces, and the authorization server's change after each authorization response and token response.
    public static let rotatingNonces = Scenario(name: "dpop-rotating-nonces") { $0.dpopNonces = .replaced }
    /// User info writes the scheme of its challenge `dPoP`: to be accepted, a scheme has no case.
    public static let challengeSchemeCase = Scenario(name: "dpop-challenge-scheme-case") {
        $0.dpopNonces = .asked
        $0.response = { _, response in
            guard let field = response.fields[.wwwAuthenticate] else { return }
            response.fields[.wwwAuthenticate] = field.replacing("DPoP ", with: "dPoP ")
        }
    }
    /// `token_type` with every letter in the other case, such as `dpOp`: to be accepted (RFC 6749 section 5.1).
    public static let invertedTokenType = Scenario(name: "inverted-token-type") {
        $0.tokenResponse = { response, _ in
            let text = response["token_type"]?.string ?? ""
            let inverted = text.map { $0.isUppercase ? $0.lowercased() : $0.uppercased() }
            response["token_type"] = .string(inverted.joined())
        }
    }
}
