import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of an access token, in the order in which they are made. (RFC 9068 section 4, RFC 8725 section 3)
enum AccessTokenCheck {
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

        var tolerance: Double { policy.clockTolerance.inSeconds }
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
        header.firstFailure(in: claimed)
    }

    /// The first check of a token's claims that fails.
    static func firstFailure(in facts: Facts) -> AccessTokenRefusal.Check? {
        claims.firstFailure(in: facts)
    }

    static let header: [Rule<Claimed, AccessTokenRefusal.Check>] = [
        Rule("access_token.typ", .type, "RFC 9068 section 4, by profile") {
            $0.policy.profile.accepts(type: $0.header.type)
        },
        Rule("access_token.alg", .algorithm, "RFC 8725 section 3.1") {
            SignatureAlgorithm(rawValue: $0.header.algorithmName).map($0.policy.algorithms.contains) ?? false
        },
    ]

    static let claims: [Rule<Facts, AccessTokenRefusal.Check>] = parties + times + identifiers + binding + authority

    private static let parties: [Rule<Facts, AccessTokenRefusal.Check>] = [
        // ID tokens, logout tokens and events are signed with the same keys, and some servers give all of them one
        // type.
        Rule("access_token.mark", .type, "RFC 8725 section 3.12, by profile") {
            $0.policy.profile.mark.isOn(type: $0.type, $0.claims)
        },
        Rule("access_token.iss", .issuer, "RFC 9068 section 4: iss is exactly the issuer") {
            $0.policy.issuer(claimed: $0.claims["iss"]) != nil
        },
        Rule("access_token.aud", .audience, "RFC 9068 section 4: aud names this resource server") {
            guard $0.claims["aud"] == nil, $0.policy.profile.audience == .optional else { return $0.namesAudience }
            return NamedCheck.holds("access_token.client", $0.standsForAudience)
        },
    ]

    private static let times: [Rule<Facts, AccessTokenRefusal.Check>] = [
        Rule("access_token.exp", .expiry, "RFC 9068 section 4: now is before exp") {
            guard let expiry = $0.claims["exp"]?.number else { return false }
            return $0.time < expiry + $0.tolerance
        },
        Rule("access_token.nbf", .notBefore, "RFC 7519 section 4.1.5") {
            guard let value = $0.claims["nbf"] else { return true }
            guard let start = value.number else { return false }
            return start <= $0.time + $0.tolerance
        },
        Rule("access_token.iat", .issuedAt, "RFC 9068 section 2.2, RFC 7519 section 4.1.6") {
            guard let issued = $0.claims["iat"]?.number else {
                return $0.claims["iat"] == nil && $0.satisfies(.issuedAt)
            }
            return issued <= $0.time + $0.tolerance
        },
    ]

    private static let identifiers: [Rule<Facts, AccessTokenRefusal.Check>] = [
        Rule("access_token.sub", .subject, "RFC 9068 section 2.2") { $0.satisfies(.subject) },
        Rule("access_token.client_id", .clientID, "RFC 9068 section 2.2, RFC 8693 section 4.3") {
            $0.satisfies(.client)
        },
        Rule("access_token.jti", .tokenID, "RFC 9068 section 2.2") { $0.satisfies(.tokenID) },
    ]

    static let binding: [Rule<Facts, AccessTokenRefusal.Check>] = [
        // Accepting a bound token without its proof would make a stolen one usable, which binding prevents.
        Rule("access_token.cnf", .confirmation, "RFC 9449 section 7.2, RFC 8705 section 3, RFC 7800 section 3") {
            $0.possession.satisfies($0.claims["cnf"])
        },
        Rule("access_token.binding", .binding, "RFC 9700 section 4.10.1, by policy") {
            let members = $0.claims["cnf"]?.object
            return switch $0.policy.binding {
            case .any: true
            case .bearer: $0.claims["cnf"] == nil
            case .dpop: members?["jkt"] != nil
            case .mtls: members?["x5t#S256"] != nil
            }
        },
    ]

    static let authority: [Rule<Facts, AccessTokenRefusal.Check>] = [
        Rule("access_token.acr", .authenticationContext, "RFC 9470 section 6.1") {
            $0.policy.authenticationContexts.isEmpty
                || $0.claims["acr"].map($0.policy.authenticationContexts.map(JSONValue.string).contains) ?? false
        },
        Rule("access_token.auth_time", .authenticationTime, "RFC 9470 section 6.1") {
            guard let maximumAge = $0.policy.maximumAge else { return true }
            guard let authenticated = $0.claims["auth_time"]?.number else { return false }
            return $0.time - authenticated <= maximumAge.inSeconds + $0.tolerance
                && authenticated <= $0.time + $0.tolerance
        },
        // The last check: the response to a token that fails another one does not name the scopes that it lacks.
        Rule("access_token.scope", .scope, "RFC 9068 section 3, RFC 6750 section 3.1") {
            $0.policy.requiredScopes.allSatisfy($0.profile.scopes(in: $0.claims).contains)
        },
    ]
}
