import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A trusted issuer's statement about a client's metadata (RFC 7591 section 2.3).
struct SoftwareStatement: Sendable {
    /// The claims; those that are client metadata precede the client's own.
    let claims: JSONObject

    /// Checks the issuer, the signature and the times.
    ///
    /// - Throws: `unapproved_software_statement` for an issuer that is not trusted, `invalid_software_statement` for
    ///   everything else (RFC 7591 section 3.2.2).
    init(_ compact: String, policy: RegistrationPolicy, audience: [String], now: Date) throws(Refusal) {
        guard let token = try? UnverifiedJWT(compact), let issuer = Self.unverifiedIssuer(compact) else {
            throw Self.invalid("is not a signed JSON Web Token with an iss")
        }
        let trusted = policy.trustedSoftwareStatementIssuers.first { $0.key.utf8.elementsEqual(issuer.utf8) }
        guard let keys = trusted?.value else {
            throw .json(.unapprovedSoftwareStatement, "The issuer of the software_statement is not trusted here.")
        }
        guard let verified = try? token.verified(by: keys, algorithms: Set(SignatureAlgorithm.allCases)) else {
            throw Self.invalid("has a signature that none of its issuer's keys made")
        }
        let claims = verified.claims
        let time = now.timeIntervalSince1970
        guard claims["exp"].map({ $0.number.map { $0 > time } ?? false }) ?? true,
            claims["nbf"].map({ $0.number.map { $0 <= time } ?? false }) ?? true
        else { throw Self.invalid("is too old or too new") }
        if claims["aud"] != nil {
            let named = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
            guard named.contains(where: { name in audience.contains { $0.utf8.elementsEqual(name.utf8) } }) else {
                throw Self.invalid("is for another server")
            }
        }
        self.claims = claims
    }

    /// Returns the client's metadata, with the statement's members in place of its own.
    func overriding(_ sent: JSONObject) -> JSONObject {
        claims.members.reduce(into: sent) { $0[$1.name] = $1.value }
    }

    /// Returns the issuer, to find the keys; the verified claims are of the same octets.
    private static func unverifiedIssuer(_ compact: String) -> String? {
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = try? Base64URL.decode(String(parts[1])) else { return nil }
        return (try? JSONObject(parsing: payload))?["iss"]?.string
    }

    private static func invalid(_ problem: String) -> Refusal {
        .json(.invalidSoftwareStatement, "The software_statement \(problem).")
    }
}
