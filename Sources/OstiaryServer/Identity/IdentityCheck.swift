import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of a statement about a person whose signature is good, in the order in which they are made.
/// (OpenID Connect Core section 3.1.3.7, RFC 8725 section 3)
enum IdentityCheck {
    struct Facts {
        let token: VerifiedJWT
        let policy: IdentityPolicy
        let time: Double

        var claims: JSONObject { token.claims }
        var tolerance: Double { policy.clockTolerance }
    }

    struct Rule: Sendable {
        let name: String
        let check: IdentityFailure.Check
        let holds: @Sendable (Facts) -> Bool
    }

    /// The first check that fails.
    static func firstFailure(in facts: Facts) -> IdentityFailure.Check? {
        rules.first { !NamedCheck.holds(named: $0.name, $0.holds(facts)) }?.check
    }

    private static let rules: [Rule] = parties + times + person

    private static let parties: [Rule] = [
        // Access tokens, proofs and events are signed by the same keys; a type, where there is one, tells them apart.
        Rule(name: "identity.typ", check: .type) {
            guard let type = $0.token.header.type?.lowercased() else { return true }
            return !type.hasSuffix("+jwt") && $0.token.header.contentType == nil
        },
        Rule(name: "identity.iss", check: .issuer) { $0.claims["iss"] == .string($0.policy.issuer.description) },
        Rule(name: "identity.aud", check: .audience) {
            $0.claims.audience?.contains(.string($0.policy.audience)) ?? false
        },
        // For several audiences, one has to be named as the party that it was made for.
        Rule(name: "identity.party", check: .party) {
            let own = JSONValue.string($0.policy.audience)
            let named = [$0.claims["azp"], $0.claims["client_id"]].compactMap(\.self)
            return named.allSatisfy { $0 == own } && (($0.claims.audience?.count ?? 0) < 2 || !named.isEmpty)
        },
    ]

    private static let times: [Rule] = [
        Rule(name: "identity.exp", check: .expiry) {
            guard let expiry = $0.claims["exp"]?.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule(name: "identity.nbf", check: .notBefore) {
            guard let value = $0.claims["nbf"] else { return true }
            return value.number.map { [facts = $0] in $0 <= facts.time + facts.tolerance } ?? false
        },
        Rule(name: "identity.iat", check: .issuedAt) {
            guard let value = $0.claims["iat"] else { return true }
            return value.number.map { [facts = $0] in $0 <= facts.time + facts.tolerance } ?? false
        },
    ]

    private static let person: [Rule] = [
        Rule(name: "identity.sub", check: .subject) {
            $0.claims["sub"]?.string.map { (1...255).contains($0.utf8.count) } ?? false
        },
        Rule(name: "identity.claims", check: .claim) { facts in
            facts.policy.claims.allSatisfy { facts.claims[$0.key] == $0.value }
        },
        Rule(name: "identity.amr", check: .method) { facts in
            guard !facts.policy.methods.isEmpty else { return true }
            guard let methods = facts.claims["amr"]?.array else { return false }
            return facts.policy.methods.allSatisfy { methods.contains(.string($0)) }
        },
        Rule(name: "identity.auth_time", check: .authenticationTime) {
            guard let authenticated = $0.claims["auth_time"]?.number, authenticated > 0,
                authenticated <= $0.time + $0.tolerance
            else { return false }
            return $0.policy.maximumAge.map { [facts = $0] in
                facts.time - authenticated <= Double($0) + facts.tolerance
            } ?? true
        },
    ]
}
