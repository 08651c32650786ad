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

    /// Whether it replaces the whole request: it is signed, or marked as a request object (RFC 9101 section 6.3).
    ///
    /// OpenID Connect Core section 6.1 lets any other one complete the parameters beside it.
    let isWhole: Bool

    /// The check that a request object did not pass.
    enum Failure: Error {
        case form, type, signature, client, audience, expiry, time, subject, nested, parameter, mismatch
    }

    /// Reads and checks a request object.
    ///
    /// `compact` is the value of `request`, `client` the client that the request names, with its public `keys`.
    /// `issuer` is the required audience, where the object names one.
    init(
        _ compact: String,
        of client: RegisteredClient,
        keys: JSONWebKeySet,
        algorithms: Set<SignatureAlgorithm>,
        issuer: Issuer,
        now: Date
    ) throws(Failure) {
        guard compact.utf8.count <= Self.maximumBytes else { throw .form }
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]) else { throw .form }
        // A token of another kind that the client signed, such as an assertion, is not a request (RFC 9101
        // section 10.8, RFC 8725 section 3.11).
        guard [nil, "JWT", Self.type].contains(header["typ"]?.string) else { throw .type }
        let claims: JSONObject
        if header["alg"]?.string == "none" {
            guard parts[2].isEmpty, let payload = Self.object(parts[1]) else { throw .form }
            claims = payload
            isSigned = false
        } else {
            guard let token = try? UnverifiedJWT(compact, maximumBytes: Self.maximumBytes) else { throw .form }
            guard let verified = try? token.verified(by: keys, algorithms: algorithms) else { throw .signature }
            claims = verified.claims
            isSigned = true
        }
        isWhole = isSigned || header["typ"]?.string == Self.type
        for name in ["iss", "client_id"] {
            guard let value = claims[name] else { continue }
            guard value.string.map({ $0.utf8.elementsEqual(client.id.utf8) }) ?? false else { throw .client }
        }
        if let subject = claims["sub"]?.string, subject.utf8.elementsEqual(client.id.utf8) { throw .subject }
        if claims["aud"] != nil {
            let named = Provider.audience(claims)
            guard named.contains(where: { $0.utf8.elementsEqual(issuer.description.utf8) }) else { throw .audience }
        }
        if let exp = claims["exp"] {
            guard let time = exp.number, time > now.timeIntervalSince1970 else { throw .expiry }
        }
        for name in ["iat", "nbf"] {
            guard let value = claims[name] else { continue }
            guard let time = value.number, time <= now.timeIntervalSince1970 + Self.acceptedLead else { throw .time }
        }
        guard claims["request"] == nil, claims["request_uri"] == nil else { throw .nested }
        parameters = try Self.parameters(claims)
    }

    /// The `typ` that only request objects have (RFC 9101 section 10.8).
    private static let type = "oauth-authz-req+jwt"
    /// The greatest lead of the client's clock, in seconds.
    private static let acceptedLead: Double = 10

    /// The members that are about the token itself.
    private static let claimsOfToken: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]

    /// The parameters of an authorization request among the claims; `resource` may be a list (RFC 8707 section 2.1).
    private static func parameters(_ claims: JSONObject) throws(Failure) -> Parameters {
        var parameters = Parameters()
        for member in claims.members where !claimsOfToken.contains(member.name) && !member.value.isNull {
            let name = Parameters.Name(rawValue: member.name)
            let values = name == .resource ? member.value.array ?? [member.value] : [member.value]
            for value in values {
                guard let text = text(value) else { throw .parameter }
                if !text.isEmpty { parameters.append(text, for: name) }
            }
        }
        return parameters
    }

    private static func text(_ value: JSONValue) -> String? {
        if let text = value.string { return text }
        if let number = value.integer { return String(number) }
        return value.object.flatMap { String(utf8: $0.encoded()) }
    }

    private static func object(_ part: Substring) -> JSONObject? {
        (try? Base64URL.decode(part)).flatMap { try? JSONObject(parsing: $0) }
    }
}

extension RequestObject {
    /// Returns the request of the object and the parameters beside it.
    ///
    /// - Throws: ``Failure/mismatch`` where an object that completes other parameters lacks those that OpenID Connect
    ///   Core section 6.1 requires beside it.
    func completing(_ sent: Parameters) throws(Failure) -> Parameters {
        var request = sent
        if isWhole {
            request = Parameters()
            request[.clientID] = sent[.clientID]
        } else {
            guard Scope.list(sent[.scope] ?? "").contains(.openID), let type = sent[.responseType],
                parameters[.responseType].map({ $0.utf8.elementsEqual(type.utf8) }) ?? true
            else { throw .mismatch }
            request["request"] = nil
        }
        for name in parameters.names {
            request[name] = nil
            for value in parameters.values(of: name) { request.append(value, for: name) }
        }
        return request
    }
}

extension RequestObject.Failure {
    /// The explanation for a developer.
    var sentence: String {
        switch self {
        case .form: "The request object is not a JSON Web Token, or is too long."
        case .type: "The request object's typ is neither oauth-authz-req+jwt nor JWT."
        case .signature: "The request object is not signed by a key of the client."
        case .client: "The request object's iss or client_id is not the client."
        case .audience: "The request object's aud is not the issuer."
        case .expiry: "The request object's exp is past."
        case .time: "The request object's iat or nbf is in the future."
        case .subject: "The request object's sub is the client, as a client assertion's is."
        case .nested: "The request object has a request or request_uri in it."
        case .parameter: "A parameter of the request object is not a text, a whole number or an object."
        case .mismatch:
            "An unsigned request object needs scope with openid and the same response_type in the request itself."
        }
    }
}

extension Provider {
    /// Puts the parameters of a request object in place of those beside it, where the client's rules serve it.
    ///
    /// (OpenID Connect Core section 6.1, RFC 9101 section 5)
    func openRequestObject(_ sent: Parameters, _ request: ProviderRequest) async throws -> Parameters {
        let sent = try await fetchRequestObject(sent)
        guard sent["request"] != nil, sent.repetition == nil, let id = sent[.clientID],
            let client = try await client(id), rules(for: client).requestObjects == .accepted
        else { return sent }
        let keys = try await requestKeys(of: client, sent)
        do throws(RequestObject.Failure) {
            let (whole, isSigned) = try requestObject(in: sent, of: client, signedBy: keys)
            let reason = "The request is \(isSigned ? "a signed" : "an unsigned") request object."
            reportAdmissions([Admission(rule: .requestObjects, reason: reason)], of: client, request)
            return whole
        } catch {
            throw try await refusal(of: sent, error.sentence)
        }
    }

    /// The keys that a signed request object is verified with; none for an unsigned one, which ends in a dot.
    private func requestKeys(of client: RegisteredClient, _ sent: Parameters) async throws -> JSONWebKeySet {
        let compact = sent["request"] ?? ""
        guard !compact.hasSuffix(".") else { return JSONWebKeySet([]) }
        do throws(ClientKeySets.Failure) {
            return try await readKeys(of: client, for: compact)
        } catch {
            throw try await refusal(of: sent, "The client's keys at jwks_uri cannot be read.").since(error, at: client)
        }
    }

    /// A whole request needs no redirect URI beside it, and without one the browser is not redirected.
    private func refusal(of sent: Parameters, _ sentence: String) async throws -> Refusal {
        guard sent[.redirectURI] != nil else { return .page(sentence) }
        let (_, address) = try await CheckedAuthorization.asker(sent, self)
        return .redirect(OAuthError(code: .invalidRequestObject, description: sentence), address)
    }

    /// Returns the request of a request object and the parameters beside it, and whether a key of the client signed it.
    func requestObject(
        in sent: Parameters,
        of client: RegisteredClient,
        signedBy keys: JSONWebKeySet
    ) throws(RequestObject.Failure) -> (Parameters, isSigned: Bool) {
        let object = try RequestObject(
            sent["request"] ?? "",
            of: client,
            keys: keys,
            algorithms: rules(for: client).algorithms,
            issuer: configuration.issuer,
            now: now
        )
        return (try object.completing(sent), object.isSigned)
    }
}

extension OAuthError.Code {
    /// A request object that is malformed or rejected (RFC 9101 section 7).
    static let invalidRequestObject = Self(rawValue: "invalid_request_object")
}
