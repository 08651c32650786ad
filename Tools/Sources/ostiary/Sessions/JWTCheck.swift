import ArgumentParser
import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer

/// Every check of a token without a sign-in: there is no nonce and no request to compare it with.
struct JWTCheck: Sendable {
    /// The required kind of token.
    enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable {
        case idToken = "id_token"
        case accessToken = "access_token"
        case any
    }

    /// The result of the checks.
    struct Result: Sendable {
        let checks: [CheckedRule]
        let claims: JSONObject?

        /// The first check that did not hold.
        var failure: CheckedRule? { checks.first { $0.outcome == .failed } }
    }

    let kind: Kind
    let issuer: Issuer?
    let audience: String?
    /// The form of access tokens.
    var profile = AccessTokenProfile.rfc9068
    let keys: JSONWebKeySet
    let now: Date

    /// Makes all of them.
    func result(for token: Secret) -> Result {
        guard let decoded = DecodedJWT(token) else {
            let rule = CheckedRule("jwt.form", .type, "RFC 7519 section 7.2", .failed, expected: "a signed JWT")
            return Result(checks: [rule], claims: nil)
        }
        let form = CheckedRule(
            "jwt.form",
            .type,
            "RFC 7519 section 7.2",
            .passed,
            expected: "a signed JWT",
            found: "one"
        )
        let claims = decoded.claims
        return Result(
            checks: [form] + signature(of: token, decoded.header) + types(decoded.header, claims) + parties(claims)
                + times(claims),
            claims: claims
        )
    }

    private func signature(of token: Secret, _ header: JSONObject) -> [CheckedRule] {
        let steps: [(name: String, check: SignInError.Check, rule: String)] = [
            ("jwt.crit", .critical, "RFC 7515 section 4.1.11"),
            ("jwt.alg", .algorithm, "RFC 8725 section 3.1"),
            ("jwt.kid", .key, "RFC 7515 section 4.1.4"),
            ("jwt.signature", .signature, "RFC 7515 section 5.2"),
        ]
        let found = [
            header["crit"] == nil ? nil : "crit", header["alg"]?.string, header["kid"]?.string, nil,
        ]
        let expected = ["none", "asymmetric", "one of \(keys.keys.count) keys", nil]
        // The steps build on each other: a step after a failed one was not checked.
        let broken = brokenStep(of: token)
        return steps.enumerated().map { index, step in
            let outcome: CheckedRule.Outcome =
                broken.map { index < $0 ? .passed : index == $0 ? .failed : .skipped } ?? .passed
            return CheckedRule(
                step.name,
                step.check,
                step.rule,
                outcome,
                expected: expected[index],
                found: index == 3 ? (outcome == .passed ? "right" : outcome == .failed ? "wrong" : nil) : found[index]
            )
        }
    }

    /// Returns the number of the failed step of the signature's check; `nil` when none fails.
    private func brokenStep(of token: Secret) -> Int? {
        do throws(JOSEError) {
            let unverified = try UnverifiedJWT(token.reveal())
            _ = try unverified.verified(by: keys, algorithms: Set(SignatureAlgorithm.allCases))
            return nil
        } catch {
            return switch error {
            case .criticalHeader: 0
            case .unsupportedAlgorithm, .algorithmNotAllowed: 1
            case .noMatchingKey, .ambiguousKey: 2
            default: 3
            }
        }
    }

    /// Checks the kind of token: by its header, and for an access token also by the profile's mark.
    private func types(_ header: JSONObject, _ claims: JSONObject) -> [CheckedRule] {
        guard kind == .accessToken else { return [type(header)] }
        let form = profile.form(type: header["typ"]?.string, claims: claims)
        let advice = form.fitting.map { "; the token fits --tokens \($0)" } ?? ""
        let expected = form.expected.map { $0 ?? "none" }.joined(separator: " or ") + advice
        let type = rule("jwt.typ", .type, "RFC 9068 section 4, by profile", form.hasType, expected, form.found)
        // The type is the mark of RFC 9068: one check would fail as two.
        guard profile.mark != .type else { return [type] }
        let mark = rule(
            "jwt.mark",
            .type,
            "RFC 8725 section 3.12, by profile",
            form.hasMark,
            "the mark of \(profile.name)" + advice,
            form.hasMark ? "it" : "none"
        )
        return [type, mark]
    }

    private func type(_ header: JSONObject) -> CheckedRule {
        let found = header["typ"]?.string
        let type = found?.lowercased()
        switch kind {
        case .any:
            return CheckedRule("jwt.typ", .type, "RFC 8725 section 3.11", .skipped, found: found)
        case .accessToken, .idToken:
            let holds = !(type?.hasSuffix("+jwt") ?? false) && header["cty"] == nil
            return rule("jwt.typ", .type, "RFC 8725 section 3.11", holds, "JWT, or none", found)
        }
    }

    private func parties(_ claims: JSONObject) -> [CheckedRule] {
        let issuerFound = claims["iss"]?.string
        let audiences = Self.audiences(claims)
        let audienceFound = audiences.isEmpty ? nil : audiences.joined(separator: " ")
        var rules = [
            issuer.map { issuer in
                let names = [issuer.description] + (kind == .accessToken ? profile.otherIssuers : [])
                let holds = names.contains { claims["iss"] == .string($0) }
                return rule("jwt.iss", .issuer, "RFC 7519 section 4.1.1", holds, issuer.description, issuerFound)
            } ?? CheckedRule("jwt.iss", .issuer, "RFC 7519 section 4.1.1", .skipped, found: issuerFound),
            audience.map { audience in
                let holds = audiences.contains { JSONValue.string($0) == .string(audience) }
                return rule("jwt.aud", .audience, "RFC 7519 section 4.1.3", holds, audience, audienceFound)
            } ?? CheckedRule("jwt.aud", .audience, "RFC 7519 section 4.1.3", .skipped, found: audienceFound),
        ]
        if kind == .idToken { rules.append(authorizedParty(claims, audiences)) }
        if kind != .any {
            let subject = claims["sub"]?.string
            let holds = subject.map { !$0.isEmpty && $0.utf8.count <= 255 } ?? false
            let rule = kind == .idToken ? "OpenID Connect Core section 2" : "RFC 9068 section 2.2"
            rules.append(self.rule("jwt.sub", .subject, rule, holds, "1 to 255 bytes", subject))
        }
        return rules
    }

    private func authorizedParty(_ claims: JSONObject, _ audiences: [String]) -> CheckedRule {
        let citation = "OpenID Connect Core section 3.1.3.7 rules 4 and 5"
        let found = claims["azp"]?.string
        guard claims["azp"] != nil else {
            return rule("jwt.azp", .authorizedParty, citation, audiences.count < 2, "azp, or one audience", found)
        }
        guard let audience else { return CheckedRule("jwt.azp", .authorizedParty, citation, .skipped, found: found) }
        return rule("jwt.azp", .authorizedParty, citation, claims["azp"] == .string(audience), audience, found)
    }

    private func times(_ claims: JSONObject) -> [CheckedRule] {
        let time = now.timeIntervalSince1970
        func shown(_ name: String) -> String? {
            claims[name].map { $0.number.map { Date(timeIntervalSince1970: $0).internetTime } ?? "not a time" }
        }
        let now = now.internetTime
        let expiry = claims["exp"]?.number.map { time < $0 + Self.tolerance } ?? (kind == .any && claims["exp"] == nil)
        let start = claims["nbf"].map { $0.number.map { $0 <= time + Self.tolerance } ?? false } ?? true
        let issued = claims["iat"].map { $0.number.map { $0 <= time + Self.tolerance } ?? false } ?? (kind == .any)
        return [
            rule("jwt.exp", .expiry, "RFC 7519 section 4.1.4", expiry, "after \(now)", shown("exp")),
            rule("jwt.nbf", .notBefore, "RFC 7519 section 4.1.5", start, "up to \(now)", shown("nbf")),
            rule("jwt.iat", .issuedAt, "RFC 7519 section 4.1.6", issued, "up to \(now)", shown("iat")),
        ]
    }

    private func rule(
        _ name: String,
        _ check: SignInError.Check,
        _ rule: String,
        _ holds: Bool,
        _ expected: String?,
        _ found: String?
    ) -> CheckedRule {
        CheckedRule(name, check, rule, holds ? .passed : .failed, expected: expected, found: found)
    }

    private static func audiences(_ claims: JSONObject) -> [String] {
        claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
    }

    /// Seconds that the clocks of two machines may differ.
    private static let tolerance = 30.0
}
