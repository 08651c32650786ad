import HTTPTypes
import OstiaryCompatibility
package import OstiaryJOSE
package import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The registration endpoint (RFC 7591 section 3).
    func register(_ request: ProviderRequest) async throws -> ProviderResponse {
        try checkAccess(request)
        let metadata = try checkedMetadata(try registrationMembers(request))
        try await checkSector(of: metadata)
        let response = try await register(metadata)
        if let id = registeredID(response), let client = try await client(id) {
            reportAdmissions(metadata.admissions, of: client, request)
        }
        return response
    }

    private func registeredID(_ response: ProviderResponse) -> String? {
        guard case .bytes(let bytes) = response.content else { return nil }
        return (try? JSONObject(parsing: bytes))?["client_id"]?.string
    }

    /// Registers a client whose metadata has been checked, whatever the registration policy.
    package func register(_ metadata: CheckedClientMetadata) async throws -> ProviderResponse {
        var id = random.identifier()
        scenario.clientCredential(&id)
        let accessToken = random.secret()
        let secret = metadata.hasSecret ? newClientSecret() : nil
        let registration = ClientRegistration(
            id: id,
            metadata: metadata,
            issued: now,
            secret: secret.map { SecretDigest($0) },
            secretExpires: secret == nil ? nil : newSecretExpiry,
            accessToken: SecretDigest(accessToken)
        )
        try await storage.put(registration.record)
        return registrationResponse(registration, accessToken: accessToken, secret: secret, status: .created)
    }

    /// Returns the response to a registration (RFC 7591 section 3.2.1, RFC 7592 section 3).
    ///
    /// `secret` is the secret, if it is known here: a new one, or one that the client sent.
    func registrationResponse(
        _ registration: ClientRegistration,
        accessToken: String,
        secret: String?,
        status: HTTPResponse.Status = .ok
    ) -> ProviderResponse {
        var response = registration.metadata.members
        response["client_id"] = .string(registration.id)
        response["client_id_issued_at"] = .integer(registration.issued.numericDate)
        if let secret {
            response["client_secret"] = .string(secret)
            response["client_secret_expires_at"] = .integer(registration.secretExpires?.numericDate ?? 0)
        }
        response["registration_access_token"] = .string(accessToken)
        response["registration_client_uri"] = .string(routes.url(ofClient: registration.id))
        configuration.dialect.writeRegistration(&response, at: self)
        scenario.registration(&response)
        return .json(response, status: status)
    }

    /// Makes a client secret; the caller stores its digest.
    func newClientSecret() -> String {
        var secret = random.secret()
        scenario.clientCredential(&secret)
        return secret
    }

    /// The expiry of a secret that is made now.
    var newSecretExpiry: Date? {
        configuration.registration.secretLifetime.map { now.addingTimeInterval($0.inSeconds) }
    }

    /// Returns the JSON object of a registration or an update.
    package func registrationMembers(_ request: ProviderRequest) throws(Refusal) -> JSONObject {
        let type = request.fields[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/json", let object = try? JSONObject(parsing: request.body) else {
            throw .metadata("The body has to be one JSON object, as application/json.")
        }
        return object
    }

    /// Checks a client's metadata, in which its software statement replaces the client's own members.
    package func checkedMetadata(_ sent: JSONObject) throws -> CheckedClientMetadata {
        var sent = sent
        let kept = try configuration.dialect.readClientMetadata(&sent, at: self)
        let standard = try standardMetadata(sent)
        var members = standard.members
        for member in kept.members where members[member.name] == nil { members[member.name] = member.value }
        var metadata = CheckedClientMetadata(checked: members)
        metadata.admissions = standard.admissions
        return metadata
    }

    private func standardMetadata(_ sent: JSONObject) throws(Refusal) -> CheckedClientMetadata {
        let policy = configuration.registration
        guard let statement = sent["software_statement"] else {
            guard policy.access != .withSoftwareStatement else {
                throw .json(.invalidSoftwareStatement, "A software_statement is needed here.")
            }
            return try CheckedClientMetadata(sent, at: currentConfiguration)
        }
        guard let compact = statement.string else {
            throw .json(.invalidSoftwareStatement, "The software_statement is not a text.")
        }
        let audience = [configuration.issuer.description, routes.url(.registration)]
        let checked = try SoftwareStatement(compact, policy: policy, audience: audience, now: now)
        let standard = try CheckedClientMetadata(checked.overriding(sent), at: currentConfiguration)
        var members = standard.members
        // The response repeats the statement unchanged (RFC 7591 section 3.2.1).
        members["software_statement"] = statement
        var metadata = CheckedClientMetadata(checked: members)
        metadata.admissions = standard.admissions
        return metadata
    }

    private func checkAccess(_ request: ProviderRequest) throws(Refusal) {
        switch configuration.registration.access {
        case .open, .withSoftwareStatement: return
        case .closed:
            throw .json(OAuthError(code: .accessDenied, description: "No client may register here."), .forbidden)
        case .withInitialAccessToken(let tokens):
            guard let token = request.bearerToken else { throw .unauthorizedRegistration() }
            guard tokens.contains(where: { $0.matches(token) }) else { throw .unauthorizedRegistration(.invalidToken) }
        }
    }
}

extension ProviderRequest {
    /// The token of the single `Authorization` field (RFC 6750 section 2.1); `nil` without one, and for several.
    package var bearerToken: String? {
        let fields = fields[values: .authorization]
        guard fields.count == 1 else { return nil }
        let parts = fields[0].split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else { return nil }
        return String(parts[1])
    }
}

extension Refusal {
    /// The challenge of RFC 6750 section 3.1, which has an error only for a request with a token.
    package static func unauthorizedRegistration(_ code: OAuthError.Code? = nil) -> Refusal {
        let error = code.map { ", error=\"\($0.rawValue)\"" } ?? ""
        return .challenge("Bearer realm=\"ostiary\"\(error)", .unauthorized)
    }
}
