import OstiaryJOSE
import OstiaryOAuth

/// The checks of what an issuer says of a token. (RFC 7662 sections 2.2 and 4)
///
/// An issuer may leave out nearly everything. What it says has to be right; whom the token is for it has to say, because a
/// token for another resource server would be taken otherwise (RFC 9700 section 2.3).
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
        Rule(name: "introspected.aud", check: .audience, citation: "RFC 7662 section 4") { $0.namesAudience },
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
