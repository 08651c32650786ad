import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// Returns the consent page, and handles its form.
    func consent(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard request.method == .post else {
            let id = request.queryParameters?[Parameters.Name(rawValue: PageInput.interaction)]
            let open = try await findInteraction(id, .authorization, request)
            let login = try await login(answering: open, request)
            let authorization = try await CheckedAuthorization(open.interaction.parameters, at: self)
            return consentPage(authorization, login, open)
        }
        let (open, form) = try await postedInteraction(.authorization, request)
        let login = try await login(answering: open, request)
        let authorization = try await CheckedAuthorization(open.interaction.parameters, at: self)
        guard let decision = form.decision else { throw Refusal.page("The form has no decision.") }
        try await finish(open)
        guard decision == .accept else {
            let error = OAuthError(code: .accessDenied, description: "The user did not allow this.")
            throw Refusal.redirect(error, authorization.address)
        }
        try await rememberConsent(authorization, login)
        return try await issueCode(authorization, login)
    }

    /// Returns the login that the interaction belongs to.
    ///
    /// An older login is rejected: the client may have requested a new sign-in.
    func login(answering open: OpenInteraction, _ request: ProviderRequest) async throws -> LoginSession {
        guard !open.interaction.needsLogin, let login = try await login(open.interaction.session, of: request) else {
            throw Refusal.page(PageText.notSignedInAnyMore.english, .forbidden)
        }
        return login
    }

    /// Whether the user must consent: the client requires it, and the user has not allowed as much before.
    func needsConsent(_ authorization: CheckedAuthorization, _ login: LoginSession) async throws -> Bool {
        if authorization.prompts.contains(.consent) { return true }
        guard authorization.client.requiresConsent else { return false }
        let allowed = try await allowedScopes(authorization, login)
        let resources = try await allowedResources(authorization, login)
        return !Set(authorization.scopes + authorization.scopesOfClaims).isSubset(of: allowed)
            || !Set(authorization.resources.map(\.identifier)).isSubset(of: resources)
    }

    private func rememberConsent(_ authorization: CheckedAuthorization, _ login: LoginSession) async throws {
        let earlier = try await allowedScopes(authorization, login)
        let asked = authorization.scopes + authorization.scopesOfClaims
        let all = earlier + asked.filter { !earlier.contains($0) }
        let resources = try await allowedResources(authorization, login)
        let more = authorization.resources.map(\.identifier).filter { !resources.contains($0) }
        try await storage.put(
            ProviderRecord(
                kind: .consent,
                key: consentKey(authorization.client.id, login.subject),
                value: [
                    "sub": .string(login.subject), "scope": .string(all.text), "resource": .strings(resources + more),
                ],
                expires: nil
            )
        )
    }

    private func allowedScopes(_ authorization: CheckedAuthorization, _ login: LoginSession) async throws -> [Scope] {
        let record = try await storage.record(.consent, consentKey(authorization.client.id, login.subject))
        return Scope.list(record?.value["scope"]?.string ?? "")
    }

    private func allowedResources(_ authorization: CheckedAuthorization, _ login: LoginSession) async throws -> [String]
    {
        let record = try await storage.record(.consent, consentKey(authorization.client.id, login.subject))
        return record?.value["resource"]?.array?.compactMap(\.string) ?? []
    }

    /// Returns the record key of a user and a client; the encoding keeps two pairs distinct.
    func consentKey(_ clientID: String, _ subject: String) -> String {
        SecretDigest(FormURLEncoding.encode(Parameters(["sub": subject, .clientID: clientID]))).text
    }

    /// The consent page.
    func consentPage(
        _ authorization: CheckedAuthorization,
        _ login: LoginSession,
        _ open: OpenInteraction
    ) -> ProviderResponse {
        let asked = authorization.scopes + authorization.scopesOfClaims
        let client = authorization.client
        let logo = rules(for: client).clientReferences == .accepted ? client.pages.logo : nil
        let page = ConsentPage(
            frame: frame,
            form: form(.consent, open),
            clientName: authorization.client.name,
            userName: user(subject: login.subject)?.name ?? "",
            scopes: configuration.scopes.filter { asked.contains($0.scope) }.map { ConsentPage.ScopeLine($0) }
                + authorization.resources.map { ConsentPage.ScopeLine($0) },
            links: client.pages.links,
            logo: logo?.text
        )
        return .consent(page, logo: logo)
    }
}
