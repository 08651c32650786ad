import OstiaryJOSE
import OstiaryOAuth

/// The checks of what an issuer says of a token. (RFC 7662 sections 2.2 and 4)
///
/// An issuer may leave out nearly everything. What it says has to be right; whom the token is for it has to say, or the policy has to
/// name what stands for that, because a token for another resource server would be taken otherwise (RFC 9700 section 2.3).
extension AccessTokenCheck {
    /// The first check of what the issuer says that fails.
    static func firstFailure(ofDescription facts: Facts) -> AccessTokenRefusal.Check? {
        described.first { !NamedCheck.holds(named: $0.name, $0.holds(facts)) }?.check
    }

    private static let described: [Rule<Facts>] = parts + binding + authority

    private static let parts: [Rule<Facts>] = [
        // An issuer that could speak of another's tokens could make itself anybody there.
        Rule(name: "introspected.iss", check: .issuer, citation: "RFC 7662 section 2.2") {
            $0.isOfSpeaker
        },
        Rule(name: "introspected.aud", check: .audience, citation: "RFC 7662 section 4") {
            guard $0.lacksAudience else { return $0.namesAudience }
            return NamedCheck.holds("introspected.client", $0.standsForAudience)
        },
        // Refresh tokens are active, too, and good for none of this.
        Rule(name: "introspected.token_type", check: .type, citation: "RFC 7662 section 2.2, RFC 6749 section 7.1") {
            guard let type = $0.claims["token_type"] else { return !$0.lacksAudience }
            return ["bearer", "dpop"].contains(type.string?.lowercased())
        },
        Rule(
            name: "introspected.token_use",
            check: .type,
            citation: "RFC 7662 section 2.2, as Hydra and Cognito extend it"
        ) {
            guard let use = $0.claims["token_use"] else { return true }
            return ["access_token", "access"].contains(use.string)
        },
        Rule(name: "introspected.mark", check: .type, citation: "RFC 8725 section 3.12, by profile") {
            !$0.policy.profile.mark.isContradicted(by: $0.claims)
        },
        Rule(name: "introspected.exp", check: .expiry, citation: "RFC 7662 section 2.2") {
            guard let value = $0.claims["exp"] else { return true }
            guard let expiry = value.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule(name: "introspected.nbf", check: .notBefore, citation: "RFC 7662 section 2.2") {
            guard let value = $0.claims["nbf"] else { return true }
            guard let start = value.number else { return false }
            return start <= $0.time + $0.tolerance
        },
    ]
}

extension AccessTokenCheck.Facts {
    /// Whether an issuer's description names no audience: Hydra gives an empty array then.
    fileprivate var lacksAudience: Bool { claims["aud"].map { $0.array?.isEmpty ?? false } ?? true }
}
