import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of an ID token whose signature is valid, in their order. (OpenID Connect Core section 3.1.3.7, RFC 8725
/// section 3)
enum IDTokenPolicyCheck {
    struct Facts {
        let token: VerifiedJWT
        let policy: IDTokenPolicy
        /// The nonce that the backend issued; `nil` for none.
        var nonce: Secret?
        let time: Double

        var claims: JSONObject { token.claims }
        var tolerance: Double { policy.clockTolerance.inSeconds }

        /// Whether a value is one of the client's identifiers.
        func isOwn(_ value: JSONValue) -> Bool { policy.audiences.contains { value == .string($0) } }
    }

    /// The first check that fails.
    static func firstFailure(in facts: Facts) -> IDTokenFailure.Check? {
        rules.firstFailure(in: facts)
    }

    private static let rules: [Rule<Facts, IDTokenFailure.Check>] = parties + times + person

    private static let parties: [Rule<Facts, IDTokenFailure.Check>] = [
        // Access tokens, proofs and events are signed with the same keys; a type, if there is one, distinguishes them.
        Rule("identity.typ", .type, "RFC 8725 section 3.11") {
            guard let type = $0.token.header.type?.lowercased() else { return true }
            return !type.hasSuffix("+jwt") && $0.token.header.contentType == nil
        },
        // Some issuers give all their tokens one type, and name the kind in a claim.
        Rule("identity.kind", .type, "RFC 8725 section 3.12") {
            ($0.claims["typ"].map { $0 == "ID" } ?? true) && ($0.claims["token_use"].map { $0 == "id" } ?? true)
        },
        Rule("identity.iss", .issuer, "OpenID Connect Core section 3.1.3.7 rule 2, other names by policy") { facts in
            facts.claims["iss"] == .string(facts.policy.issuer.description)
                || facts.policy.otherIssuers.contains { facts.claims["iss"] == .string($0) }
        },
        Rule("identity.aud", .audience, "OpenID Connect Core section 3.1.3.7 rule 3") { facts in
            facts.claims.audience?.contains { facts.isOwn($0) } ?? false
        },
        // With several audiences, one must be named as the authorized party.
        Rule("identity.party", .party, "OpenID Connect Core section 3.1.3.7 rules 4 and 5") { facts in
            let named = [facts.claims["azp"], facts.claims["client_id"]].compactMap(\.self)
            return named.allSatisfy(facts.isOwn) && ((facts.claims.audience?.count ?? 0) < 2 || !named.isEmpty)
        },
        // A token of another sign-in, such as a stolen or an old one, has another nonce.
        Rule("identity.nonce", .nonce, "OpenID Connect Core section 3.1.3.7 rule 11") {
            guard let nonce = $0.nonce else { return if case .unused = $0.policy.nonce { true } else { false } }
            guard let claimed = $0.claims["nonce"]?.string, !claimed.isEmpty else { return false }
            return constantTimeEqual(claimed, nonce.reveal())
        },
    ]

    private static let times: [Rule<Facts, IDTokenFailure.Check>] = [
        Rule("identity.exp", .expiry, "OpenID Connect Core section 3.1.3.7 rule 9") {
            guard let expiry = $0.claims["exp"]?.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule("identity.nbf", .notBefore, "RFC 7519 section 4.1.5") {
            guard let value = $0.claims["nbf"] else { return true }
            return value.number.map { [facts = $0] in $0 <= facts.time + facts.tolerance } ?? false
        },
        Rule("identity.iat", .issuedAt, "RFC 7519 section 4.1.6") {
            guard let value = $0.claims["iat"] else { return true }
            return value.number.map { [facts = $0] in $0 <= facts.time + facts.tolerance } ?? false
        },
    ]

    private static let person: [Rule<Facts, IDTokenFailure.Check>] = [
        Rule("identity.sub", .subject, "OpenID Connect Core section 2") {
            $0.claims["sub"]?.string.map { (1...255).contains($0.utf8.count) } ?? false
        },
        Rule("identity.claims", .claim, "RFC 7519 section 4, by policy") { facts in
            facts.policy.claims.allSatisfy { facts.claims[$0.key] == $0.value }
        },
        Rule("identity.amr", .method, "OpenID Connect Core section 2, by policy") { facts in
            guard !facts.policy.methods.isEmpty else { return true }
            guard let methods = facts.claims["amr"]?.array else { return false }
            return facts.policy.methods.allSatisfy { methods.contains(.string($0)) }
        },
        Rule("identity.auth_time", .authenticationTime, "OpenID Connect Core section 3.1.3.7 rule 13, by policy") {
            if $0.policy.authenticationTime == .unchecked { return true }
            guard let authenticated = $0.claims["auth_time"]?.number, authenticated > 0,
                authenticated <= $0.time + $0.tolerance
            else { return false }
            guard case .within(let age) = $0.policy.authenticationTime else { return true }
            return $0.time - authenticated <= age.inSeconds + $0.tolerance
        },
    ]
}
