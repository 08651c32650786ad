import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of a signed introspection response. (RFC 9701 section 5, RFC 8725 section 3)
enum SignedIntrospectionCheck {
    /// The largest age of a response, in seconds: it was made for this request.
    static let maximumAge: Double = 60

    /// Returns the members of a signed response that describe the token.
    ///
    /// - Throws: `mismatch` or `malformed` at stage `introspection`.
    static func description(
        in answer: UnverifiedJWT,
        by keys: JSONWebKeySet,
        algorithms: Set<SignatureAlgorithm>,
        issuer: Issuer,
        clientID: String,
        now: Date
    ) throws(SignInError) -> JSONObject {
        func require(_ name: StaticString, _ check: SignInError.Check, _ holds: Bool) throws(SignInError) {
            guard NamedCheck.holds(name, holds) else { throw SignInError(.introspection, .mismatch(check)) }
        }
        // Other tokens of the issuer are signed with the same keys.
        try require("introspection.typ", .type, answer.header.type?.lowercased() == "token-introspection+jwt")
        let claims: JSONObject
        do throws(JOSEError) {
            claims = try answer.verified(by: keys, algorithms: algorithms).claims
        } catch {
            throw SignInError(
                .introspection,
                error.failure(
                    form: .malformed("the signed response"),
                    algorithm: .mismatch(.algorithm),
                    key: .mismatch(.key),
                    signature: .mismatch(.signature)
                )
            )
        }
        try require("introspection.iss", .issuer, claims["iss"] == .string(issuer.description))
        try require("introspection.aud", .audience, claims.audience?.contains(.string(clientID)) ?? false)
        let age = claims["iat"]?.number.map { now.timeIntervalSince1970 - $0 }
        try require("introspection.iat", .issuedAt, age.map { (-maximumAge...maximumAge).contains($0) } ?? false)
        guard let description = claims["token_introspection"]?.object else {
            throw SignInError(.introspection, .malformed("the response's token_introspection"))
        }
        return description
    }
}
