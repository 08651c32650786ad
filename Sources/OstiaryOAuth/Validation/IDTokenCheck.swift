import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of an ID token whose signature is good, in the order in which they are made.
///
/// (OpenID Connect Core sections 3.1.3.7, 3.1.3.8 and 12.2, RFC 8725 section 3.11.)
enum IDTokenCheck {
    /// What the checks look at.
    struct Facts {
        let token: VerifiedJWT
        let accessToken: String
        let expectation: TokenExpectation
        let client: Client
        let server: AuthorizationServer
        let now: Date

        var claims: JSONObject { token.claims }
        var tolerance: Double { client.validation.clockTolerance }
        /// `now` as a NumericDate.
        var time: Double { now.timeIntervalSince1970 }
        /// What a sign-in asked for; `nil` on refresh.
        var request: TokenExpectation.SignIn? { if case .signIn(let request) = expectation { request } else { nil } }
        /// The identity that a refresh has to continue.
        var previous: IdentityToken? { if case .refresh(let tokens) = expectation { tokens.identity } else { nil } }
    }

    /// One check.
    struct Rule: Sendable {
        let check: SignInError.Check
        let citation: String
        let holds: @Sendable (Facts) -> Bool
    }

    /// The first check that fails.
    static func firstFailure(in facts: Facts) -> SignInError.Check? { rules.first { !$0.holds(facts) }?.check }

    static let rules: [Rule] = kind + parties + times + request + continuity

    /// Whether the token is an ID token at all: access tokens, logout tokens and events are signed by the same keys.
    private static let kind: [Rule] = [
        Rule(check: .type, citation: "RFC 8725 section 3.11") {
            guard let type = $0.token.header.type?.lowercased() else { return true }
            return !type.hasSuffix("+jwt") && $0.token.header.contentType == nil
        }
    ]

    private static let parties: [Rule] = [
        Rule(check: .issuer, citation: "OpenID Connect Core section 3.1.3.7 rule 2") { facts in
            facts.claims["iss"]?.string.map(facts.server.issuer.isNamed) ?? false
        },
        Rule(check: .audience, citation: "OpenID Connect Core section 3.1.3.7 rule 3") {
            $0.claims.audience?.contains(.string($0.client.id)) ?? false
        },
        Rule(check: .audience, citation: "OpenID Connect Core section 3.1.3.7 rule 3, other audiences") {
            let others = ($0.claims.audience ?? []).subtracting([.string($0.client.id)])
            return others.isSubset(of: $0.client.validation.trustedAudiences.map(JSONValue.string))
        },
        Rule(check: .authorizedParty, citation: "OpenID Connect Core section 3.1.3.7 rule 4") {
            ($0.claims.audience?.count ?? 0) < 2 || $0.claims["azp"] != nil
        },
        Rule(check: .authorizedParty, citation: "OpenID Connect Core section 3.1.3.7 rule 5") {
            $0.claims["azp"] == nil || $0.claims["azp"] == .string($0.client.id)
        },
        Rule(check: .subject, citation: "OpenID Connect Core section 2") {
            guard let subject = $0.claims["sub"]?.string else { return false }
            return !subject.isEmpty && subject.utf8.count <= 255
        },
    ]

    private static let times: [Rule] = [
        Rule(check: .expiry, citation: "OpenID Connect Core section 3.1.3.7 rule 9") {
            guard let expiry = $0.claims["exp"]?.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule(check: .notBefore, citation: "RFC 7519 section 4.1.5") {
            guard let value = $0.claims["nbf"] else { return true }
            return value.number.map { [facts = $0] in $0 <= facts.time + facts.tolerance } ?? false
        },
        Rule(check: .issuedAt, citation: "OpenID Connect Core section 3.1.3.7 rule 10, the future") {
            ($0.claims["iat"]?.number ?? 0) <= $0.time + $0.tolerance
        },
        // A token that does not say when it was made is as old as can be.
        Rule(check: .issuedAt, citation: "OpenID Connect Core section 3.1.3.7 rule 10, age") {
            $0.time - ($0.claims["iat"]?.number ?? 0) <= $0.client.validation.maximumIDTokenAge + $0.tolerance
        },
        Rule(check: .expiry, citation: "RFC 7519 section 4.1.4: not before it was made") {
            ($0.claims["exp"]?.number ?? 0) >= ($0.claims["iat"]?.number ?? 0)
        },
    ]

    private static let request: [Rule] = [
        Rule(check: .nonce, citation: "OpenID Connect Core section 3.1.3.7 rule 11") { facts in
            guard let request = facts.request else { return true }
            switch (request.nonce, facts.claims["nonce"]) {
            case (nil, nil): return true
            case (let sent?, .string(let given)?): return constantTimeEqual(sent.reveal(), given)
            default: return false
            }
        },
        Rule(check: .authenticationTime, citation: "OpenID Connect Core section 3.1.3.7 rule 13") {
            guard let maximumAge = $0.request?.maximumAge else {
                return $0.claims["auth_time"].map { $0.isNull || $0.number != nil } ?? true
            }
            guard let authenticated = $0.claims["auth_time"]?.number else { return false }
            return $0.time - authenticated <= Double(maximumAge) + $0.tolerance
        },
        Rule(check: .authenticationContext, citation: "OpenID Connect Core section 3.1.3.7 rule 12") {
            guard case .required(let values)? = $0.request?.authenticationContext else { return true }
            return $0.claims["acr"].map(values.map(JSONValue.string).contains) ?? false
        },
        Rule(check: .accessTokenHash, citation: "OpenID Connect Core section 3.1.3.8") { facts in
            guard let value = facts.claims["at_hash"] else { return true }
            guard let given = value.string else { return false }
            return hashes(for: facts.token.algorithm).contains {
                constantTimeEqual($0.leftHalf(of: facts.accessToken), given)
            }
        },
    ]

    private static let continuity: [Rule] = [
        Rule(check: .issuer, citation: "OpenID Connect Core section 12.2") { facts in
            facts.previous.map { $0.claims["iss"] == facts.claims["iss"] } ?? true
        },
        Rule(check: .subject, citation: "OpenID Connect Core section 12.2") { facts in
            facts.previous.map { $0.claims["sub"] == facts.claims["sub"] } ?? true
        },
        Rule(check: .audience, citation: "OpenID Connect Core section 12.2") { facts in
            facts.previous.map { $0.claims.audience == facts.claims.audience } ?? true
        },
        Rule(check: .authenticationTime, citation: "OpenID Connect Core section 12.2") { facts in
            guard let before = facts.previous?.claims["auth_time"]?.number, let after = facts.claims["auth_time"]
            else { return true }
            return after.number == before
        },
        Rule(check: .authorizedParty, citation: "OpenID Connect Core section 12.2") { facts in
            guard let previous = facts.previous else { return true }
            return previous.claims["azp"] == facts.claims["azp"]
        },
        Rule(check: .nonce, citation: "OpenID Connect Core section 12.2") { facts in
            guard facts.request == nil, let nonce = facts.claims["nonce"] else { return true }
            guard let before = facts.previous?.claims["nonce"]?.string, let after = nonce.string else { return false }
            return constantTimeEqual(before, after)
        },
    ]

    /// The hashes that `at_hash` may be made with.
    ///
    /// For EdDSA the specification leaves it open, and servers in the field use SHA-512 (what Ed25519 is made of) as
    /// well as SHA-256; their lengths differ, so neither stands in for the other.
    private static func hashes(for algorithm: SignatureAlgorithm) -> [HashAlgorithm] {
        algorithm == .edDSA ? [.sha512, .sha256] : [algorithm.hashAlgorithm]
    }
}
