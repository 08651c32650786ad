import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
package import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The authorization endpoint (RFC 6749 section 3.1, OpenID Connect Core section 3.1.2).
    func authorize(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard let read = request.method == .post ? request.formParameters : request.queryParameters else {
            throw Refusal.page("The request's parameters cannot be read.")
        }
        let sent = read.omittingEmptyValues
        let pushed = try await openPushedRequest(sent)
        var parameters = try await openRequestObject(pushed ?? sent, request)
        configuration.dialect.readAuthorization(&parameters, at: self)
        let authorization = try await CheckedAuthorization(parameters, at: self)
        if pushed == nil {
            try refusePlainRequest(authorization)
            report(authorization, request)
        }
        let hinted = try await hintedSubject(authorization)
        if let answer = try await signInAutomatically(authorization, request) { return answer }
        if let answer = try await chooseAccount(authorization, parameters, hinted, request) { return answer }
        return try await respond(
            to: authorization,
            parameters,
            try await currentLogin(of: request),
            hinted,
            request
        )
    }

    /// Continues with a login: to the client, or to the page that has to come before.
    ///
    /// - Parameters:
    ///   - authorization: The request.
    ///   - parameters: Its parameters.
    ///   - login: The login; `nil` for a user who has to sign in.
    ///   - hinted: The only user whom the client accepts; `nil` for any.
    ///   - request: The request that brought it here.
    ///   - userName: The name to start the sign-in page with. Default: that of the request.
    ///   - choice: Whether the user has chosen the account. Default: not yet.
    /// - Returns: The response, or the next page.
    /// - Throws: `Refusal` for a request that the provider rejects.
    func respond(
        to authorization: CheckedAuthorization,
        _ parameters: Parameters,
        _ login: LoginSession?,
        _ hinted: String?,
        _ request: ProviderRequest,
        userName: String? = nil,
        choice: AccountChoice = .open
    ) async throws -> ProviderResponse {
        if let login, !needsLogin(authorization, login, hinted, choice) {
            if let user = user(subject: login.subject),
                needsOneTimePassword(user, after: login.methods, for: authorization.contexts)
            {
                try refuseInteraction(authorization, .loginRequired, "The user has to enter a one-time password first.")
                return try await stepUp(login, user, .authorization, parameters, authorization.client.name, request)
            }
            guard try await needsConsent(authorization, login) else { return try await issueCode(authorization, login) }
            try refuseInteraction(authorization, .consentRequired, "The user has to allow this first.")
            let open = try await openInteraction(
                .authorization,
                parameters,
                request,
                needsLogin: false,
                session: login.id
            )
            return consentPage(authorization, login, open).settingCookies(open.newCookies)
        }
        try refuseInteraction(authorization, .loginRequired, "The user has to sign in first.")
        return try await askForLogin(
            authorization,
            parameters,
            request,
            userName: userName ?? authorization.loginHint ?? ""
        )
    }

    /// Opens the sign-in page.
    func askForLogin(
        _ authorization: CheckedAuthorization,
        _ parameters: Parameters,
        _ request: ProviderRequest,
        userName: String = ""
    ) async throws -> ProviderResponse {
        let open = try await openInteraction(.authorization, parameters, request, needsLogin: true, session: nil)
        let start = LoginTry(userName: userName)
        return loginPage(form(.login, open), named: authorization.client.name, start).settingCookies(open.newCookies)
    }

    /// Reports the steps of a request that the strict rules refuse, and the scopes that it does not get.
    func report(_ authorization: CheckedAuthorization, _ request: ProviderRequest) {
        reportAdmissions(authorization.admissions, of: authorization.client, request)
        reportOmission(of: authorization.omittedScopes, for: authorization.client, request)
    }

    /// Rejects a request with prompt=none that needs a page (OpenID Connect Core section 3.1.2.6).
    private func refuseInteraction(
        _ authorization: CheckedAuthorization,
        _ code: OAuthError.Code,
        _ sentence: String
    ) throws(Refusal) {
        guard authorization.prompts.contains(.none) else { return }
        throw .redirect(OAuthError(code: code, description: sentence), authorization.address)
    }

    /// Whether the user of a request has chosen the account on a page.
    enum AccountChoice {
        case open, made
    }

    private func needsLogin(
        _ authorization: CheckedAuthorization,
        _ login: LoginSession,
        _ hinted: String?,
        _ choice: AccountChoice
    ) -> Bool {
        if authorization.prompts.contains(.login) { return true }
        if authorization.prompts.contains(.selectAccount), choice == .open { return true }
        if let hinted, !hinted.utf8.elementsEqual(login.subject.utf8) { return true }
        if needsPasskey(login, for: authorization.contexts) { return true }
        guard let maximumAge = authorization.maximumAge else { return false }
        return maximumAge == 0 || now.timeIntervalSince(login.authenticated) > maximumAge
    }

    /// Returns the user whom the client expects, by an ID token or by the claim `sub`; an ID token of another issuer is
    /// rejected (OpenID Connect Core sections 3.1.2.1 and 3.1.2.2).
    func hintedSubject(_ authorization: CheckedAuthorization) async throws -> String? {
        let client = authorization.client
        let named: String? =
            if let subject = authorization.claims.subject {
                // No user has the empty subject: a client with a sector cannot test whether a user has a certain `sub`.
                try await ownSubject(of: subject, for: client) ?? ""
            } else {
                nil
            }
        guard let hint = authorization.idTokenHint else { return named }
        guard let subject = try await hintedClaims(hint)?["sub"]?.string else {
            let error = OAuthError(
                code: .invalidRequest,
                description: "The id_token_hint is not an ID token from here."
            )
            throw Refusal.redirect(error, authorization.address)
        }
        guard named.map({ $0.utf8.elementsEqual(subject.utf8) }) ?? true else {
            let error = OAuthError(code: .invalidRequest, description: "id_token_hint and claims name different users.")
            throw Refusal.redirect(error, authorization.address)
        }
        return subject
    }

    /// Completes the request with a code, which is valid once and for a minute.
    func issueCode(_ authorization: CheckedAuthorization, _ login: LoginSession) async throws -> ProviderResponse {
        if let hinted = try await hintedSubject(authorization), !hinted.utf8.elementsEqual(login.subject.utf8) {
            let error = OAuthError(code: .loginRequired, description: "Another user than the expected one signed in.")
            throw Refusal.redirect(error, authorization.address)
        }
        let context = try context(of: login, for: authorization)
        let lifetimes = self.lifetimes
        let isOffline = givesRefreshToken(for: authorization)
        var grant = IssuedGrant(
            id: random.identifier(),
            clientID: authorization.client.id,
            subject: login.subject,
            scopes: authorization.scopes,
            resources: authorization.resources.map(\.identifier),
            authenticated: login.authenticated,
            session: login.id,
            expires: now.addingTimeInterval(
                (isOffline ? lifetimes.refreshToken : lifetimes.authorizationCode + lifetimes.accessToken).inSeconds
            ),
            isOffline: isOffline
        )
        grant.nonce = authorization.nonce
        grant.isAskedForAuthenticationTime = authorization.maximumAge != nil
        grant.claims = authorization.claims
        grant.methods = login.methods
        grant.context = context
        let secret = random.secret()
        var code = IssuedCode(
            grant: grant.id,
            clientID: grant.clientID,
            redirectURI: authorization.address.redirectURI,
            challenge: authorization.challenge,
            nonce: authorization.nonce,
            keyThumbprint: authorization.keyThumbprint,
            expires: now.addingTimeInterval(lifetimes.authorizationCode.inSeconds)
        )
        code.namesRedirectURI = authorization.namesRedirectURI
        try await remember(authorization.client, in: login.id)
        try await storage.put(grant.record)
        try await storage.put(code.record(secret: secret, remembered: grant.expires))
        replaceNonces()
        return redirect(Parameters([.code: secret]), to: authorization.address)
    }

    /// Sends a response to the redirect URI, always with `iss` (RFC 9207 section 2) and with the client's own `state`.
    func redirect(_ answer: Parameters, to address: ReturnAddress) -> ProviderResponse {
        var parameters = answer
        parameters[.state] = address.state
        if manners.responseIssuer == .announced { parameters[.issuer] = configuration.issuer.description }
        configuration.dialect.writeAuthorizationResponse(&parameters)
        scenario.authorizationResponse(&parameters)
        guard !address.isPosted else {
            let fields = parameters.pairs.map { PageForm.HiddenField(name: $0.name.rawValue, value: $0.value) }
            let form = PageForm(action: address.redirectURI, hiddenFields: fields)
            return .page(.answer(AnswerPage(frame: frame, form: form)))
        }
        return .seeOther(Self.extend(address.redirectURI, with: parameters))
    }

    /// Sends an error to the redirect URI (RFC 6749 section 4.1.2.1).
    func errorRedirect(_ error: OAuthError, _ address: ReturnAddress) -> ProviderResponse {
        var parameters = Parameters([.error: error.code.rawValue])
        parameters[.errorDescription] = error.description
        return redirect(parameters, to: address)
    }

    /// Adds parameters behind those that a registered URI already has (RFC 6749 section 3.1.2).
    package static func extend(_ uri: String, with parameters: Parameters) -> String {
        guard !parameters.pairs.isEmpty else { return uri }
        let separator = !uri.contains("?") ? "?" : uri.hasSuffix("?") || uri.hasSuffix("&") ? "" : "&"
        return uri + separator + FormURLEncoding.encode(parameters)
    }
}
