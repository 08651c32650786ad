import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of a logout token whose signature is valid, in their order. (OpenID Connect Back-Channel Logout 1.0
/// section 2.6, RFC 8725 section 3.11)
enum LogoutTokenCheck {
    /// The member of `events` that makes a token a logout token.
    static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// The longest string of a claim that is compared or stored, in bytes.
    static let maximumTextBytes = 512

    struct Facts {
        let token: VerifiedJWT
        let issuer: Issuer
        let clientID: String
        let tolerance: Double
        let time: Double

        var claims: JSONObject { token.claims }

        func isText(_ name: String) -> Bool {
            claims[name]?.string.map { (1...maximumTextBytes).contains($0.utf8.count) } ?? false
        }
    }

    struct Rule: Sendable {
        let name: String
        let check: LogoutTokenFailure.Check
        let holds: @Sendable (Facts) -> Bool
    }

    /// The first check that fails.
    static func firstFailure(in facts: Facts) -> LogoutTokenFailure.Check? {
        rules.first { !NamedCheck.holds(named: $0.name, $0.holds(facts)) }?.check
    }

    private static let rules: [Rule] = [
        // Access tokens, proofs and events are signed with the same keys; a type, if there is one, distinguishes them.
        Rule(name: "logout_token.typ", check: .type) {
            guard let type = $0.token.header.type?.lowercased() else { return true }
            return ["logout+jwt", "application/logout+jwt", "jwt"].contains(type)
        },
        Rule(name: "logout_token.iss", check: .issuer) { $0.claims["iss"] == .string($0.issuer.description) },
        Rule(name: "logout_token.aud", check: .audience) {
            $0.claims.audience?.contains(.string($0.clientID)) ?? false
        },
        Rule(name: "logout_token.exp", check: .expiry) {
            guard let expiry = $0.claims["exp"]?.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule(name: "logout_token.iat", check: .issuedAt) {
            guard let issued = $0.claims["iat"]?.number else { return false }
            return issued <= $0.time + $0.tolerance
        },
        Rule(name: "logout_token.jti", check: .tokenID) { $0.isText("jti") },
        Rule(name: "logout_token.sub", check: .subject) { facts in
            let named = ["sub", "sid"].filter { facts.claims[$0] != nil }
            return !named.isEmpty && named.allSatisfy(facts.isText)
        },
        Rule(name: "logout_token.events", check: .events) { $0.claims["events"]?.object?[event]?.object != nil },
        // Otherwise an ID token with the claims of a logout token would be accepted.
        Rule(name: "logout_token.nonce", check: .nonce) { $0.claims["nonce"] == nil },
    ]
}
