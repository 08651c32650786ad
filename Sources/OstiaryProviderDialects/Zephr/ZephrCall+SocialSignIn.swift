import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ZephrCall {
    /// Sends the app to the social provider's page, which the app is to open in the system's browser.
    func startSocialSignIn(_ name: String) -> ProviderResponse {
        guard dialect.site.providers.contains(name) else { return .zephr("Unknown provider", .notFound) }
        guard let clientType = request.queryParameters?["client_type"], clientType == "ios" || clientType == "android"
        else { return .zephr("Bad request", .badRequest) }
        let state = provider.random.secret()
        let verifier = provider.random.secret()
        let start = ZephrState.Start(
            provider: name,
            clientType: clientType,
            verifier: verifier,
            expires: provider.now.addingTimeInterval(Self.patience)
        )
        dialect.state.withLock { [now = provider.now] known in
            known.starts = known.starts.filter { $0.value.expires > now }
            known.starts[SecretDigest(state).text] = start
        }
        let parameters = Parameters([
            .responseType: "code", .clientID: ZephrDialect.socialClientID,
            .redirectURI: ZephrDialect.callback(name, clientType, at: provider.configuration.issuer),
            .scope: "openid email", .state: state, .codeChallenge: SecretDigest(verifier).text,
            .codeChallengeMethod: "S256",
        ])
        return ProviderResponse(
            status: .found,
            fields: [
                .location: Provider.extend(page(of: name), with: parameters),
                .cacheControl: "no-store",
            ]
        )
    }

    /// The social provider's page, on the provider's own host where the site knows it.
    private func page(of name: String) -> String {
        let origin = dialect.site.pageOrigins[name] ?? provider.configuration.issuer
        return ZephrDialect.base(of: origin) + (dialect.path(of: .authorization) ?? "")
    }

    /// Handles the social provider's response, and redirects the user to the app with the result.
    func finishSocialSignIn(_ name: String, _ clientType: String) async throws -> ProviderResponse? {
        guard request.method == .get else { return nil }
        guard let parameters = request.queryParameters, let state = parameters[.state] else {
            throw Refusal.page("The answer has no state.")
        }
        let start = dialect.state.withLock { $0.starts.removeValue(forKey: SecretDigest(state).text) }
        guard let start, start.provider == name, start.clientType == clientType, start.expires > provider.now else {
            throw Refusal.page("This sign-in did not begin here, or took too long.")
        }
        if let error = parameters[.error] { return back(["action": "login", "status": "failure", "message": error]) }
        guard let code = parameters[.code], let emailAddress = try await emailAddress(of: code, start) else {
            return back(["action": "login", "status": "failure", "message": "server_error"])
        }
        guard dialect.state.withLock({ $0[emailAddress] }) != nil else { return register(emailAddress) }
        let (id, session) = session(of: emailAddress)
        return back([
            "action": "login", "status": "success", "tracking_id": session.trackingID, "session_id": id,
        ])
    }

    /// Handles a new user: registered at once, or asked for the missing attributes.
    private func register(_ emailAddress: String) -> ProviderResponse {
        guard !dialect.site.requiredAttributes.isEmpty else {
            dialect.state.withLock { $0[emailAddress] = ZephrUser(emailAddress: emailAddress) }
            let (id, session) = session(of: emailAddress)
            return back([
                "action": "login", "status": "success", "tracking_id": session.trackingID, "session_id": id,
            ])
        }
        let stateKey = provider.random.secret()
        let registration = ZephrState.Registration(
            emailAddress: emailAddress,
            expires: provider.now.addingTimeInterval(Self.patience)
        )
        dialect.state.withLock { $0.registrations[SecretDigest(stateKey).text] = registration }
        return back([
            "action": "register", "status": "partial", "state_key": stateKey, "identifier": emailAddress,
        ])
    }

    private func back(_ parameters: Parameters) -> ProviderResponse {
        .seeOther(Provider.extend(dialect.site.redirectURI.description, with: parameters))
    }

    /// Returns the user who signed in at the social provider.
    private func emailAddress(of code: String, _ start: ZephrState.Start) async throws -> String? {
        let grant = try await provider.redeem(code, of: ZephrDialect.socialClientID, verifier: start.verifier)
        return grant.flatMap { provider.user(subject: $0.subject) }?.claims["email"]?.string
    }
}

extension ZephrDialect {
    /// Returns the redirect URI for a social provider.
    static func callback(_ provider: String, _ clientType: String, at issuer: Issuer) -> String {
        base(of: issuer) + "/zephr/oauth/\(provider)/\(clientType)/callback"
    }

    /// Returns the issuer without a slash at its end.
    fileprivate static func base(of issuer: Issuer) -> String {
        let text = issuer.description
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
