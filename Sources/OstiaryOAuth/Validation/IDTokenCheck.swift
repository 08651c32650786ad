import OstiaryCompatibility
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of an ID token whose signature is valid, in the order in which they are made.
///
/// (OpenID Connect Core sections 3.1.3.7, 3.1.3.8 and 12.2, RFC 8725 section 3.11.)
enum IDTokenCheck {
    /// The values that the checks compare.
    struct Facts {
        let token: VerifiedJWT
        /// `aud`, which several checks compare.
        let audience: Set<JSONValue>?
        let accessToken: String
        let expectation: TokenResponse.Expectation
        let client: Client
        let server: AuthorizationServer
        let now: Date

        var claims: JSONObject { token.claims }
        var tolerance: Double { client.validation.clockTolerance.inSeconds }
        /// `now` as a NumericDate.
        var time: Double { now.timeIntervalSince1970 }
        /// The expectation of a sign-in; `nil` on refresh.
        var request: TokenResponse.Expectation.SignIn? {
            if case .signIn(let request) = expectation { request } else { nil }
        }
        /// The ID token that a refresh must continue.
        var previous: IDToken? { if case .refresh(let tokens, _) = expectation { tokens.identity } else { nil } }
        /// The claims that a refresh must continue: those of the previous ID token, or those that an imported session
        /// claims.
        var continued: JSONObject? {
            if case .refresh(let tokens, _) = expectation { tokens.continuedClaims } else { nil }
        }
        /// `now`, in readable form.
        var second: String { Self.whole(time) }

        /// A number without its fraction, or unchanged when no integer can hold it, as a token may contain any number.
        static func whole(_ number: Double) -> String {
            Int(exactly: number.rounded(.towardZero)).map(String.init) ?? "\(number)"
        }

        /// The printable form of a claim; none of the printed claims is secret.
        func shown(_ claim: String) -> String? { Self.shown(claim, in: claims) }

        static func shown(_ claim: String, in claims: JSONObject) -> String? {
            switch claims[claim] {
            case .string(let text): String(text.prefix(200))
            case .array(let values): values.prefix(10).compactMap(\.string).joined(separator: " ")
            case .some(let value): value.number.map(whole)
            case nil: nil
            }
        }
    }

    static let rules: [Rule<Facts, SignInError.Check>] = kind + parties + times + request + continuity

    /// Whether the token is an ID token at all: access tokens, logout tokens and events are signed by the same keys.
    private static let kind: [Rule<Facts, SignInError.Check>] = [
        Rule(
            "id_token.typ",
            .type,
            "RFC 8725 section 3.11",
            evidence: { ("JWT, or none", $0.token.header.type) }
        ) {
            guard let type = $0.token.header.type?.lowercased() else { return true }
            return !type.hasSuffix("+jwt") && $0.token.header.contentType == nil
        },
        Rule(
            "id_token.kid",
            .key,
            "OpenID Connect Core section 10.1",
            evidence: { ($0.client.validation.requiresKeyID ? "any" : nil, $0.token.header.keyID) }
        ) {
            !$0.client.validation.requiresKeyID || $0.token.header.keyID?.isEmpty == false
        },
    ]

    private static let parties: [Rule<Facts, SignInError.Check>] = [
        Rule(
            "id_token.iss",
            .issuer,
            "OpenID Connect Core section 3.1.3.7 rule 2",
            evidence: { ($0.server.issuer.description, $0.shown("iss")) }
        ) { facts in
            facts.claims["iss"]?.string.map(facts.server.issuer.isNamed) ?? false
        },
        Rule(
            "id_token.aud",
            .audience,
            "OpenID Connect Core section 3.1.3.7 rule 3",
            evidence: { ($0.client.id, $0.shown("aud")) }
        ) {
            $0.audience?.contains(.string($0.client.id)) ?? false
        },
        Rule(
            "id_token.aud.others",
            .audience,
            "OpenID Connect Core section 3.1.3.7 rule 3, other audiences",
            evidence: { ($0.client.validation.trustedAudiences.sorted().joined(separator: " "), $0.shown("aud")) }
        ) { facts in
            (facts.audience ?? []).allSatisfy { audience in
                audience == .string(facts.client.id)
                    || facts.client.validation.trustedAudiences.contains { audience == .string($0) }
            }
        },
        Rule(
            "id_token.azp.present",
            .authorizedParty,
            "OpenID Connect Core section 3.1.3.7 rule 4",
            evidence: { ("azp, when there are several audiences", $0.shown("azp")) }
        ) {
            ($0.audience?.count ?? 0) < 2 || $0.claims["azp"] != nil
        },
        Rule(
            "id_token.azp",
            .authorizedParty,
            "OpenID Connect Core section 3.1.3.7 rule 5",
            evidence: { ($0.client.id, $0.shown("azp")) }
        ) {
            $0.claims["azp"] == nil || $0.claims["azp"] == .string($0.client.id)
        },
        Rule(
            "id_token.sub",
            .subject,
            "OpenID Connect Core section 2",
            evidence: { ("1 to 255 bytes", Verdict.fingerprint($0.claims["sub"]?.string)) }
        ) {
            guard let subject = $0.claims["sub"]?.string else { return false }
            return !subject.isEmpty && subject.utf8.count <= 255
        },
    ]

    private static let times: [Rule<Facts, SignInError.Check>] = [
        Rule(
            "id_token.exp",
            .expiry,
            "OpenID Connect Core section 3.1.3.7 rule 9",
            evidence: { ("after \($0.second)", $0.shown("exp")) }
        ) {
            guard let expiry = $0.claims["exp"]?.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule(
            "id_token.nbf",
            .notBefore,
            "RFC 7519 section 4.1.5",
            evidence: { ("up to \($0.second)", $0.shown("nbf")) }
        ) {
            guard let value = $0.claims["nbf"] else { return true }
            return value.number.map { [facts = $0] in $0 <= facts.time + facts.tolerance } ?? false
        },
        Rule(
            "id_token.iat.future",
            .issuedAt,
            "OpenID Connect Core section 3.1.3.7 rule 10, the future",
            evidence: { ("up to \($0.second)", $0.shown("iat")) }
        ) {
            ($0.claims["iat"]?.number ?? 0) <= $0.time + $0.tolerance
        },
        // A token that does not say when it was made is as old as can be.
        Rule(
            "id_token.iat.age",
            .issuedAt,
            "OpenID Connect Core section 3.1.3.7 rule 10, age",
            evidence: {
                ("\(Facts.whole($0.client.validation.maximumIDTokenAge.inSeconds)) s old at most", $0.shown("iat"))
            }
        ) {
            $0.time - ($0.claims["iat"]?.number ?? 0) <= $0.client.validation.maximumIDTokenAge.inSeconds + $0.tolerance
        },
        Rule(
            "id_token.exp.order",
            .expiry,
            "RFC 7519 section 4.1.4: not before it was made",
            evidence: { ($0.shown("iat").map { "after " + $0 }, $0.shown("exp")) }
        ) {
            ($0.claims["exp"]?.number ?? 0) >= ($0.claims["iat"]?.number ?? 0)
        },
    ]

    private static let request: [Rule<Facts, SignInError.Check>] = [
        Rule(
            "id_token.nonce",
            .nonce,
            "OpenID Connect Core section 3.1.3.7 rule 11",
            evidence: {
                (Verdict.fingerprint($0.request?.nonce?.reveal()), Verdict.fingerprint($0.claims["nonce"]?.string))
            }
        ) { facts in
            guard let request = facts.request else { return true }
            switch (request.nonce, facts.claims["nonce"]) {
            case (nil, nil): return true
            case (let sent?, .string(let given)?): return constantTimeEqual(sent.reveal(), given)
            default: return false
            }
        },
        Rule(
            "id_token.auth_time",
            .authenticationTime,
            "OpenID Connect Core section 3.1.3.7 rule 13",
            evidence: {
                ($0.request?.maximumAge.map { "\(Facts.whole($0.inSeconds)) s ago at most" }, $0.shown("auth_time"))
            }
        ) {
            guard let maximumAge = $0.request?.maximumAge else {
                return $0.claims["auth_time"].map { $0.isNull || $0.number != nil } ?? true
            }
            guard let authenticated = $0.claims["auth_time"]?.number else { return false }
            return $0.time - authenticated <= maximumAge.inSeconds + $0.tolerance
        },
        Rule(
            "id_token.acr",
            .authenticationContext,
            "OpenID Connect Core section 3.1.3.7 rule 12",
            evidence: { ($0.request?.authenticationContext.requirement, $0.shown("acr")) }
        ) {
            guard case .required(let values)? = $0.request?.authenticationContext else { return true }
            return $0.claims["acr"].map(values.map(JSONValue.string).contains) ?? false
        },
        Rule("id_token.at_hash.present", .accessTokenHash, "OpenID Connect Core section 3.1.3.8, by policy") {
            !$0.client.validation.requiresAccessTokenHash || $0.claims["at_hash"] != nil
        },
        Rule(
            "id_token.at_hash",
            .accessTokenHash,
            "OpenID Connect Core section 3.1.3.8",
            evidence: { (nil, $0.shown("at_hash")) }
        ) { facts in
            guard let value = facts.claims["at_hash"] else { return true }
            guard let given = value.string else { return false }
            return hashes(for: facts.token.algorithm).contains {
                constantTimeEqual($0.leftHalf(of: facts.accessToken), given)
            }
        },
    ]

    private static let continuity: [Rule<Facts, SignInError.Check>] = [
        Rule(
            "refresh.iss",
            .issuer,
            "OpenID Connect Core section 12.2",
            evidence: { ($0.previous?.issuer, $0.shown("iss")) }
        ) { facts in
            facts.previous.map { $0.claims["iss"] == facts.claims["iss"] } ?? true
        },
        Rule(
            "refresh.sub",
            .subject,
            "OpenID Connect Core section 12.2",
            evidence: {
                (Verdict.fingerprint($0.continued?["sub"]?.string), Verdict.fingerprint($0.claims["sub"]?.string))
            }
        ) { facts in
            facts.continued?["sub"].map { $0 == facts.claims["sub"] } ?? true
        },
        Rule(
            "refresh.aud",
            .audience,
            "OpenID Connect Core section 12.2",
            evidence: { ($0.previous.flatMap { Facts.shown("aud", in: $0.claims) }, $0.shown("aud")) }
        ) { facts in
            facts.previous.map { $0.claims.audience == facts.audience } ?? true
        },
        // A later time is accepted: servers such as those that keep it with the browser's session move it when the same
        // user authenticates again for another client.
        Rule(
            "refresh.auth_time",
            .authenticationTime,
            "OpenID Connect Core section 12.2",
            evidence: {
                ($0.continued?["auth_time"]?.number.map { "\(Facts.whole($0)) or later" }, $0.shown("auth_time"))
            }
        ) { facts in
            guard let before = facts.continued?["auth_time"]?.number, let after = facts.claims["auth_time"]
            else { return true }
            return after.number.map { $0 >= before } ?? false
        },
        Rule(
            "refresh.azp",
            .authorizedParty,
            "OpenID Connect Core section 12.2",
            evidence: { ($0.previous.map { Facts.shown("azp", in: $0.claims) ?? "none" }, $0.shown("azp")) }
        ) { facts in
            guard let previous = facts.previous else { return true }
            return previous.claims["azp"] == facts.claims["azp"]
        },
        // A nonce is compared with the one that is known. Where none is, as in an imported session, it proves nothing
        // and contradicts nothing; without a sign-in or a refresh no client can have sent one.
        Rule(
            "refresh.nonce",
            .nonce,
            "OpenID Connect Core section 12.2",
            evidence: {
                (
                    Verdict.fingerprint($0.continued?["nonce"]?.string),
                    Verdict.fingerprint($0.claims["nonce"]?.string)
                )
            }
        ) { facts in
            guard facts.request == nil, let nonce = facts.claims["nonce"] else { return true }
            guard case .refresh = facts.expectation, let after = nonce.string else { return false }
            return facts.continued?["nonce"]?.string.map { constantTimeEqual($0, after) } ?? true
        },
    ]

    /// The hashes that `at_hash` may be made with.
    ///
    /// For EdDSA the specification leaves it open, and servers in the field use SHA-512 (what Ed25519 is made of) as
    /// well as SHA-256; their lengths differ, so neither stands in for the other.
    private static func hashes(for algorithm: SignatureAlgorithm) -> [HashAlgorithm] {
        [.edDSA, .ed25519].contains(algorithm) ? [.sha512, .sha256] : [algorithm.hashAlgorithm]
    }
}

extension AuthorizationRequest.AuthenticationContext {
    /// The required value; `nil` for none.
    fileprivate var requirement: String? {
        if case .required(let values) = self { values.joined(separator: " or ") } else { nil }
    }
}
