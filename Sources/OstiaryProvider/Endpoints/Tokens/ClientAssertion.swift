import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The check of an assertion that a client authenticates with (RFC 7523 section 3, as draft-ietf-oauth-rfc7523bis
/// tightens it).
struct ClientAssertion: Sendable {
    /// The only `client_assertion_type`.
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let maximumBytes = 8_192
    private static let maximumIdentifierBytes = 256
    /// The greatest lead of the client's clock, in seconds.
    private static let acceptedLead: Double = 10
    /// An hour, in seconds: the lifetime that widespread client libraries choose.
    static let hour: Double = 3600

    let clientID: String
    let audience: String
    /// Further accepted audiences, alone or in a list; `nil` for none, where a list is rejected.
    let otherAudiences: [String]?
    let keys: JSONWebKeySet
    let algorithms: Set<SignatureAlgorithm>
    /// The longest remaining lifetime of an accepted assertion, in seconds.
    let longestLifetime: Double

    /// A valid assertion, to be remembered until it expires.
    struct Accepted: Sendable {
        var jti: String
        var expires: Date
        /// Whether its audience is the required one, as a single string.
        var isForIssuer: Bool

        func record(of client: RegisteredClient) -> ProviderRecord {
            // Encoding keeps two pairs from running together.
            let pair = FormURLEncoding.encode(Parameters([.clientID: client.id, "jti": jti]))
            return ProviderRecord(kind: .clientAssertion, key: SecretDigest(pair).text, value: [:], expires: expires)
        }
    }

    /// The check that an assertion did not pass.
    enum Failure: Error {
        case form, type, algorithm, key, signature, client, audience, expiry, time, identifier, reuse
    }

    /// Returns the assertion of a form and the client that it names, of which nothing is verified yet; `nil` when they
    /// cannot be read or contradict each other.
    static func named(in form: Parameters) -> (id: String, assertion: String)? {
        guard let assertion = form[.clientAssertion], assertion.utf8.count <= maximumBytes,
            form[.clientAssertionType]?.utf8.elementsEqual(type.utf8) == true
        else { return nil }
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = try? Base64URL.decode(parts[1]),
            let id = try? JSONObject(parsing: payload)["sub"]?.string, !id.isEmpty,
            form[.clientID].map({ $0.utf8.elementsEqual(id.utf8) }) ?? true
        else { return nil }
        return (id, assertion)
    }

    /// Checks an assertion; the caller detects a replay.
    func accepted(_ compact: String, now: Date) throws(Failure) -> Accepted {
        let token: UnverifiedJWT
        do { token = try UnverifiedJWT(compact, maximumBytes: Self.maximumBytes) } catch { throw .form }
        guard ["JWT", "client-authentication+jwt", nil].contains(token.header.type) else { throw .type }
        let claims = try claims(of: token)
        for name in ["iss", "sub"] {
            guard let value = claims[name]?.string, value.utf8.elementsEqual(clientID.utf8) else { throw .client }
        }
        // With a list another server could pass the assertion on to this one, and with an endpoint's URL as well, which
        // some providers require nevertheless.
        let isForIssuer = claims["aud"]?.string.map { $0.utf8.elementsEqual(audience.utf8) } ?? false
        guard isForIssuer || isForOther(claims) else { throw .audience }
        let seconds = now.timeIntervalSince1970
        guard let exp = claims["exp"]?.number, exp > seconds, exp <= seconds + longestLifetime else {
            throw .expiry
        }
        for name in ["iat", "nbf"] {
            guard let value = claims[name] else { continue }
            guard let time = value.number, time <= seconds + Self.acceptedLead else { throw .time }
        }
        guard let jti = claims["jti"]?.string, (1...Self.maximumIdentifierBytes).contains(jti.utf8.count) else {
            throw .identifier
        }
        return Accepted(jti: jti, expires: Date(timeIntervalSince1970: exp), isForIssuer: isForIssuer)
    }

    private func isForOther(_ claims: JSONObject) -> Bool {
        guard let otherAudiences else { return false }
        return Provider.audience(claims).contains { name in
            otherAudiences.contains { $0.utf8.elementsEqual(name.utf8) }
        }
    }

    private func claims(of token: UnverifiedJWT) throws(Failure) -> JSONObject {
        do throws(JOSEError) {
            return try token.verified(by: keys, algorithms: algorithms).claims
        } catch {
            throw error.failure(form: .form, algorithm: .algorithm, key: .key, signature: .signature)
        }
    }
}

extension ClientAssertion.Failure {
    /// The rule that an assertion with this failure may break; `nil` for a failure that no rules accept.
    func rule(under rules: ProviderRules) -> ProviderRule? {
        switch self {
        case .audience where rules.assertionAudience == .issuer: .assertionAudience
        case .expiry where rules.assertionLifetime == .configured: .assertionLifetime
        case .algorithm where rules.algorithms.count < SignatureAlgorithm.allCases.count: .algorithms
        default: nil
        }
    }

    /// The explanation for a developer.
    var sentence: String {
        switch self {
        case .form: "The client assertion is not a JSON Web Token, or is too long."
        case .type: "The client assertion has another typ than JWT or client-authentication+jwt."
        case .algorithm: "The client assertion's alg is not accepted."
        case .key: "The client has no key for this client assertion."
        case .signature: "The client assertion's signature is wrong."
        case .client: "The client assertion's iss and sub are not both the client."
        case .audience: "The client assertion's aud has to be one string: the issuer, or the token endpoint by manners."
        case .expiry:
            "The client assertion's exp is missing, past, or further ahead than the lifetime of client assertions."
        case .time: "The client assertion's iat or nbf is in the future."
        case .identifier: "The client assertion has no jti, or a too long one."
        case .reuse: "The client assertion was used before."
        }
    }
}
