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

    /// The first check that fails.
    static func firstFailure(in facts: Facts) -> LogoutTokenFailure.Check? {
        rules.firstFailure(in: facts)
    }

    private static let rules: [Rule<Facts, LogoutTokenFailure.Check>] = [
        // Access tokens, proofs and events are signed with the same keys; a type, if there is one, distinguishes them.
        Rule("logout_token.typ", .type, "RFC 8725 section 3.11") {
            guard let type = $0.token.header.type?.lowercased() else { return true }
            return ["logout+jwt", "application/logout+jwt", "jwt"].contains(type)
        },
        Rule("logout_token.iss", .issuer, "OpenID Connect Back-Channel Logout 1.0 section 2.6") {
            $0.claims["iss"] == .string($0.issuer.description)
        },
        Rule("logout_token.aud", .audience, "OpenID Connect Back-Channel Logout 1.0 section 2.6") {
            $0.claims.audience?.contains(.string($0.clientID)) ?? false
        },
        Rule("logout_token.exp", .expiry, "OpenID Connect Back-Channel Logout 1.0 section 2.6") {
            guard let expiry = $0.claims["exp"]?.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule("logout_token.iat", .issuedAt, "OpenID Connect Back-Channel Logout 1.0 section 2.6") {
            guard let issued = $0.claims["iat"]?.number else { return false }
            return issued <= $0.time + $0.tolerance
        },
        Rule("logout_token.jti", .tokenID, "OpenID Connect Back-Channel Logout 1.0 section 2.4") { $0.isText("jti") },
        Rule("logout_token.sub", .subject, "OpenID Connect Back-Channel Logout 1.0 section 2.6") { facts in
            let named = ["sub", "sid"].filter { facts.claims[$0] != nil }
            return !named.isEmpty && named.allSatisfy(facts.isText)
        },
        Rule("logout_token.events", .events, "OpenID Connect Back-Channel Logout 1.0 section 2.6") {
            $0.claims["events"]?.object?[event]?.object != nil
        },
        // Otherwise an ID token with the claims of a logout token would be accepted.
        Rule("logout_token.nonce", .nonce, "OpenID Connect Back-Channel Logout 1.0 section 2.6") {
            $0.claims["nonce"] == nil
        },
    ]
}
