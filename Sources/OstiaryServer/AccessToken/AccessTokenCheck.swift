import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of an access token, in the order in which they are made. (RFC 9068 section 4, RFC 8725 section 3)
enum AccessTokenCheck {
    /// One check of a header or a token.
    struct Rule<Subject>: Sendable {
        let name: String
        let check: AccessTokenRefusal.Check
        let citation: String
        let holds: @Sendable (Subject) -> Bool
    }

    /// The header of a token that has not been verified yet.
    struct Claimed {
        let header: JOSEHeader
        let policy: AccessTokenPolicy
    }

    /// The input of the checks of a token, verified by its signature or by introspection.
    struct Facts {
        let claims: JSONObject
        /// The header's `typ`; `nil` for a header without one, and for an introspection response.
        var type: String?
        let policy: AccessTokenPolicy
        /// The scheme by which the request presents the token, and the keys that its sender has proven.
        let possession: Possession
        let now: Date
        /// The issuer that answered the introspection request; `nil` for a token that was verified by its signature.
        var speaker: Issuer?

        var tolerance: Double { policy.clockTolerance }
        /// `now` as a NumericDate.
        var time: Double { now.timeIntervalSince1970 }

        /// The profile by which the claims are read.
        var profile: AccessTokenProfile { speaker == nil ? policy.profile : policy.profile.ofDescriptions }

        /// Whether a claim is present, if the profile requires it.
        func satisfies(_ claim: AccessTokenProfile.RequiredClaim) -> Bool {
            !profile.requiredClaims.contains(claim) || profile.has(claim, in: claims)
        }

        var namesAudience: Bool {
            func isOwn(_ value: JSONValue) -> Bool { policy.audiences.contains { value == .string($0) } }
            switch claims["aud"] {
            case .array(let values)?: return values.contains(where: isOwn) && values.allSatisfy { $0.string != nil }
            case let value?: return isOwn(value)
            case nil: return false
            }
        }

        /// Whether the client or a scope substitutes for the audience, as the policy says.
        var standsForAudience: Bool {
            switch policy.withoutAudience {
            case .refused: false
            case .clients(let clients):
                profile.client(in: claims).map { client in clients.contains { $0.utf8.elementsEqual(client.utf8) } }
                    ?? false
            case .scope(let scope): profile.scopes(in: claims).contains(scope)
            }
        }

        var isOfSpeaker: Bool { speaker.map { claims["iss"] == .string($0.description) } ?? false }
    }

    /// The first check of the header that fails.
    ///
    /// It runs before a key is looked up, so that a token of another kind causes no fetch.
    static func firstFailure(in claimed: Claimed) -> AccessTokenRefusal.Check? {
        header.first { !NamedCheck.holds(named: $0.name, $0.holds(claimed)) }?.check
    }

    /// The first check of a token's claims that fails.
    static func firstFailure(in facts: Facts) -> AccessTokenRefusal.Check? {
        claims.first { !NamedCheck.holds(named: $0.name, $0.holds(facts)) }?.check
    }

    static let header: [Rule<Claimed>] = [
        Rule(name: "access_token.typ", check: .type, citation: "RFC 9068 section 4, by profile") {
            $0.policy.profile.accepts(type: $0.header.type)
        },
        Rule(name: "access_token.alg", check: .algorithm, citation: "RFC 8725 section 3.1") {
            SignatureAlgorithm(rawValue: $0.header.algorithmName).map($0.policy.algorithms.contains) ?? false
        },
    ]

    static let claims: [Rule<Facts>] = parties + times + identifiers + binding + authority

    private static let parties: [Rule<Facts>] = [
        // ID tokens, logout tokens and events are signed with the same keys, and some servers give all of them one
        // type.
        Rule(name: "access_token.mark", check: .type, citation: "RFC 8725 section 3.12, by profile") {
            $0.policy.profile.mark.isOn(type: $0.type, $0.claims)
        },
        Rule(name: "access_token.iss", check: .issuer, citation: "RFC 9068 section 4: iss is exactly the issuer") {
            $0.policy.issuer(claimed: $0.claims["iss"]) != nil
        },
        Rule(name: "access_token.aud", check: .audience, citation: "RFC 9068 section 4: aud names this resource server")
        {
            guard $0.claims["aud"] == nil, $0.policy.profile.audience == .optional else { return $0.namesAudience }
            return NamedCheck.holds("access_token.client", $0.standsForAudience)
        },
    ]

    private static let times: [Rule<Facts>] = [
        Rule(name: "access_token.exp", check: .expiry, citation: "RFC 9068 section 4: now is before exp") {
            guard let expiry = $0.claims["exp"]?.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule(name: "access_token.nbf", check: .notBefore, citation: "RFC 7519 section 4.1.5") {
            guard let value = $0.claims["nbf"] else { return true }
            guard let start = value.number else { return false }
            return start <= $0.time + $0.tolerance
        },
        Rule(name: "access_token.iat", check: .issuedAt, citation: "RFC 9068 section 2.2, RFC 7519 section 4.1.6") {
            guard let issued = $0.claims["iat"]?.number else {
                return $0.claims["iat"] == nil && $0.satisfies(.issuedAt)
            }
            return issued <= $0.time + $0.tolerance
        },
    ]

    private static let identifiers: [Rule<Facts>] = [
        Rule(name: "access_token.sub", check: .subject, citation: "RFC 9068 section 2.2") { $0.satisfies(.subject) },
        Rule(name: "access_token.client_id", check: .clientID, citation: "RFC 9068 section 2.2, RFC 8693 section 4.3") {
            $0.satisfies(.client)
        },
        Rule(name: "access_token.jti", check: .tokenID, citation: "RFC 9068 section 2.2") { $0.satisfies(.tokenID) },
    ]

    static let binding: [Rule<Facts>] = [
        // Accepting a bound token without its proof would make a stolen one usable, which binding prevents.
        Rule(
            name: "access_token.cnf",
            check: .confirmation,
            citation: "RFC 9449 section 7.2, RFC 8705 section 3, RFC 7800 section 3"
        ) { $0.possession.satisfies($0.claims["cnf"]) },
        Rule(name: "access_token.binding", check: .binding, citation: "RFC 9700 section 4.10.1, by policy") {
            let members = $0.claims["cnf"]?.object
            return switch $0.policy.binding {
            case .any: true
            case .bearer: $0.claims["cnf"] == nil
            case .dpop: members?["jkt"] != nil
            case .mtls: members?["x5t#S256"] != nil
            }
        },
    ]

    static let authority: [Rule<Facts>] = [
        Rule(name: "access_token.acr", check: .authenticationContext, citation: "RFC 9470 section 6.1") {
            $0.policy.authenticationContexts.isEmpty
                || $0.claims["acr"].map($0.policy.authenticationContexts.map(JSONValue.string).contains) ?? false
        },
        Rule(name: "access_token.auth_time", check: .authenticationTime, citation: "RFC 9470 section 6.1") {
            guard let maximumAge = $0.policy.maximumAge else { return true }
            guard let authenticated = $0.claims["auth_time"]?.number else { return false }
            return $0.time - authenticated <= Double(maximumAge) + $0.tolerance
                && authenticated <= $0.time + $0.tolerance
        },
        // The last check: the response to a token that fails another one does not name the scopes that it lacks.
        Rule(name: "access_token.scope", check: .scope, citation: "RFC 9068 section 3, RFC 6750 section 3.1") {
            Set($0.policy.requiredScopes).isSubset(of: $0.profile.scopes(in: $0.claims))
        },
    ]
}
