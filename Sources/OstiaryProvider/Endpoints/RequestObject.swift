import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An authorization request as a JSON Web Token (OpenID Connect Core section 6, RFC 9101).
struct RequestObject: Sendable {
    private static let maximumBytes = 16_384

    /// The parameters that it has.
    let parameters: Parameters
    /// Whether a key of the client signed it.
    let isSigned: Bool

    /// The check that a request object did not pass.
    enum Failure: Error {
        case form, signature, client, audience, expiry, nested
    }

    /// Reads and checks a request object.
    ///
    /// - Parameters:
    ///   - compact: The value of `request`.
    ///   - client: The client that the request names.
    ///   - issuer: The required audience, where the object names one.
    init(_ compact: String, of client: RegisteredClient, issuer: Issuer, now: Date) throws(Failure) {
        guard compact.utf8.count <= Self.maximumBytes else { throw .form }
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]) else { throw .form }
        let claims: JSONObject
        if header["alg"]?.string == "none" {
            guard parts[2].isEmpty, let payload = Self.object(parts[1]) else { throw .form }
            claims = payload
            isSigned = false
        } else {
            guard let token = try? UnverifiedJWT(compact, maximumBytes: Self.maximumBytes) else { throw .form }
            guard case .privateKeyJWT(let keys, _) = client.authenticationMethod,
                let verified = try? token.verified(by: keys, algorithms: Set(SignatureAlgorithm.allCases))
            else { throw .signature }
            claims = verified.claims
            isSigned = true
        }
        for name in ["iss", "client_id"] {
            guard let value = claims[name] else { continue }
            guard value.string.map({ $0.utf8.elementsEqual(client.id.utf8) }) ?? false else { throw .client }
        }
        if claims["aud"] != nil {
            let named = Provider.audience(claims)
            guard named.contains(where: { $0.utf8.elementsEqual(issuer.description.utf8) }) else { throw .audience }
        }
        if let exp = claims["exp"] {
            guard let time = exp.number, time > now.timeIntervalSince1970 else { throw .expiry }
        }
        guard claims["request"] == nil, claims["request_uri"] == nil else { throw .nested }
        var parameters = Parameters()
        for member in claims.members where !Self.claimsOfToken.contains(member.name) {
            guard let text = Self.text(member.value), !text.isEmpty else { continue }
            parameters[Parameters.Name(rawValue: member.name)] = text
        }
        self.parameters = parameters
    }

    /// The members that are about the token itself.
    private static let claimsOfToken: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]

    private static func text(_ value: JSONValue) -> String? {
        if let text = value.string { return text }
        if let number = value.integer { return String(number) }
        return value.object.flatMap { String(utf8: $0.encoded()) }
    }

    private static func object(_ part: Substring) -> JSONObject? {
        (try? Base64URL.decode(part)).flatMap { try? JSONObject(parsing: $0) }
    }
}

extension RequestObject.Failure {
    /// The explanation for a developer.
    var sentence: String {
        switch self {
        case .form: "The request object is not a JSON Web Token, or is too long."
        case .signature: "The request object is not signed by a key of the client."
        case .client: "The request object's iss or client_id is not the client."
        case .audience: "The request object's aud is not the issuer."
        case .expiry: "The request object's exp is past."
        case .nested: "The request object has a request or request_uri in it."
        }
    }
}

extension Provider {
    /// Puts the parameters of a request object in place of those beside it, where the client's rules serve it.
    ///
    /// (OpenID Connect Core section 6.1, RFC 9101 section 5)
    func openRequestObject(_ sent: Parameters, _ request: ProviderRequest) async throws -> Parameters {
        guard let compact = sent["request"], sent.repetition == nil, let id = sent[.clientID],
            let client = try await client(id), rules(for: client).requestObjects == .accepted
        else { return sent }
        do throws(RequestObject.Failure) {
            let object = try RequestObject(compact, of: client, issuer: configuration.issuer, now: now)
            var merged = sent
            merged["request"] = nil
            for pair in object.parameters.pairs { merged[pair.name] = pair.value }
            let reason = "The request is \(object.isSigned ? "a signed" : "an unsigned") request object."
            reportAdmissions([Admission(rule: .requestObjects, reason: reason)], of: client, request)
            return merged
        } catch {
            let (_, address) = try await CheckedAuthorization.asker(sent, self)
            throw Refusal.redirect(
                OAuthError(code: .invalidRequestObject, description: error.sentence),
                address
            )
        }
    }
}

extension OAuthError.Code {
    /// A request object that cannot be used (RFC 9101 section 7).
    static let invalidRequestObject = Self(rawValue: "invalid_request_object")
}
