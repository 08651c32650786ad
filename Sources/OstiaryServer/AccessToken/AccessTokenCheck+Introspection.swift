import OstiaryJOSE
import OstiaryOAuth

/// The checks of an introspection response. (RFC 7662 sections 2.2 and 4)
///
/// An issuer may leave out nearly every member. The members that are present must be valid. The audience must be named,
/// or the policy must name a substitute: otherwise a token for another resource server would be accepted (RFC 9700
/// section 2.3).
extension AccessTokenCheck {
    /// The first check of an introspection response that fails.
    static func firstFailure(ofDescription facts: Facts) -> AccessTokenRefusal.Check? {
        described.firstFailure(in: facts)
    }

    private static let described: [Rule<Facts, AccessTokenRefusal.Check>] = parts + binding + authority

    private static let parts: [Rule<Facts, AccessTokenRefusal.Check>] = [
        // An issuer that could describe another issuer's tokens could impersonate every user of that issuer.
        Rule("introspected.iss", .issuer, "RFC 7662 section 2.2") {
            $0.isOfSpeaker
        },
        Rule("introspected.aud", .audience, "RFC 7662 section 4") {
            guard $0.lacksAudience else { return $0.namesAudience }
            return NamedCheck.holds("introspected.client", $0.standsForAudience)
        },
        // Refresh tokens are active as well, and must not be accepted here.
        Rule("introspected.token_type", .type, "RFC 7662 section 2.2, RFC 6749 section 7.1") {
            guard let type = $0.claims["token_type"] else { return !$0.lacksAudience }
            return ["bearer", "dpop"].contains(type.string?.lowercased())
        },
        Rule("introspected.token_use", .type, "RFC 7662 section 2.2, as Hydra and Cognito extend it") {
            guard let use = $0.claims["token_use"] else { return true }
            return ["access_token", "access"].contains(use.string)
        },
        Rule("introspected.mark", .type, "RFC 8725 section 3.12, by profile") {
            !$0.policy.profile.mark.isContradicted(by: $0.claims)
        },
        Rule("introspected.exp", .expiry, "RFC 7662 section 2.2") {
            guard let value = $0.claims["exp"] else { return true }
            guard let expiry = value.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule("introspected.nbf", .notBefore, "RFC 7662 section 2.2") {
            guard let value = $0.claims["nbf"] else { return true }
            guard let start = value.number else { return false }
            return start <= $0.time + $0.tolerance
        },
    ]
}

extension AccessTokenCheck.Facts {
    /// Whether an introspection response names no audience: Hydra returns an empty array then.
    fileprivate var lacksAudience: Bool { claims["aud"].map { $0.array?.isEmpty ?? false } ?? true }
}
