import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
public import OstiaryProvider

extension CurityDialect {
    /// The registration endpoint: open or with an initial access token, with or without a template.
    public func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? {
        guard request.path == Self.registrationPath, request.method == .post,
            request.body.count <= ProviderRequest.maximumBodyBytes
        else { return nil }
        let sent = try provider.registrationMembers(request)
        let template = try template(named: sent)
        switch template?.access ?? nonTemplatized {
        case .disabled:
            throw Refusal.json(
                OAuthError(code: .accessDenied, description: "Registration is not enabled here."),
                .forbidden
            )
        case .open:
            return try await provider.register(try provider.checkedMetadata(template?.members ?? sent))
        case .withInitialAccessToken:
            let token = try await initialAccessToken(of: request, at: provider)
            let metadata = try provider.checkedMetadata(template?.members ?? sent)
            // It is used up only by a registration that takes place.
            guard case .first = try await provider.storage.use(.accessToken, token) else {
                throw Refusal.unauthorizedRegistration(.invalidToken)
            }
            return try await provider.register(metadata)
        }
    }

    /// The template that a request names; such a request has nothing else in it.
    private func template(named sent: JSONObject) throws(Refusal) -> CurityTemplate? {
        guard let name = sent["software_id"] else { return nil }
        guard let id = name.string, let template = templates.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            throw .metadata("There is no template with this software_id.")
        }
        guard sent.count == 1 else { throw .metadata("A client of a template sends its software_id and nothing else.") }
        return template
    }

    /// Returns the key of a request's initial access token, which must be for registering and unused.
    private func initialAccessToken(of request: ProviderRequest, at provider: Provider) async throws -> String {
        guard let secret = request.bearerToken else { throw Refusal.unauthorizedRegistration() }
        let key = SecretDigest(secret).text
        guard let (token, _, _) = try await provider.activeAccessToken(secret),
            try await !provider.storage.wasUsed(.accessToken, key)
        else { throw Refusal.unauthorizedRegistration(.invalidToken) }
        guard token.scopes.contains(Self.registrationScope) else {
            throw Refusal.challenge("Bearer realm=\"ostiary\", error=\"insufficient_scope\", scope=\"dcr\"", .forbidden)
        }
        return key
    }

    /// The scope of an initial access token.
    static let registrationScope: Scope = "dcr"
}

extension CurityTemplate {
    fileprivate var members: JSONObject {
        var members = metadata
        members["software_id"] = .string(id)
        return members
    }
}
