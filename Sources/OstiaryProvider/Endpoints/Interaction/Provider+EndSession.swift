import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// A sign-out request that may be executed (OpenID Connect RP-Initiated Logout section 2).
private struct CheckedSignOut {
    var client: RegisteredClient?
    /// The user and the login of the ID token hint, if this provider issued it.
    var hint: (subject: String, session: String?)?
    var address: ReturnAddress?
}

extension Provider {
    /// The end session endpoint.
    ///
    /// Without an ID token of the very login that would end, the user is asked: an attacker can link to this endpoint.
    func endSession(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard let read = request.method == .post ? request.formParameters : request.queryParameters else {
            throw Refusal.page("The request's parameters cannot be read.")
        }
        var parameters = read.omittingEmptyValues
        try readEndSession(&parameters)
        let signOut = try await check(parameters)
        guard let login = try await login(for: signOut, request) else {
            return signedOut(signOut, PageText.youAreSignedOut.english)
        }
        if manners.endSession != .asksUser, let hint = signOut.hint,
            hint.subject.utf8.elementsEqual(login.subject.utf8), hint.session == login.id
        {
            return try await end(login, signOut, request)
        }
        let open = try await openInteraction(.signOut, parameters, request, needsLogin: false, session: login.id)
        let page = SignOutPage(
            frame: frame,
            form: form(.signOut, open),
            userName: user(subject: login.subject)?.name ?? "",
            clientName: signOut.client?.name
        )
        return ProviderResponse.page(.signOut(page)).settingCookies(open.newCookies)
    }

    /// Handles the sign-out page's form.
    func signOut(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (open, form) = try await postedInteraction(.signOut, request)
        let signOut = try await check(open.interaction.parameters)
        guard let decision = form.decision else { throw Refusal.page("The form has no decision.") }
        try await finish(open)
        guard decision == .accept else {
            return .page(.signedOut(SignedOutPage(frame: frame, sentence: PageText.youStaySignedIn.english)))
        }
        guard let login = try await login(open.interaction.session, of: request) else {
            return signedOut(signOut, PageText.youAreSignedOut.english)
        }
        return try await end(login, signOut, request)
    }

    /// The login that a sign-out is for; `nil` when the user is signed out.
    ///
    /// It is that of the hint, or else the current one: in a browser with several accounts, of the hint's user alone.
    private func login(for signOut: CheckedSignOut, _ request: ProviderRequest) async throws -> LoginSession? {
        if let hinted = try await login(signOut.hint?.session, of: request) { return hinted }
        guard configuration.accounts == .several, let hint = signOut.hint else {
            return try await currentLogin(of: request)
        }
        guard let account = try await accounts(of: request)[hint.subject] else { return nil }
        return try await login(of: account)
    }

    /// Ends a login and the grants that belong to it, and with them their codes and tokens.
    private func end(
        _ login: LoginSession,
        _ signOut: CheckedSignOut,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let clients = try await endLogin(login.id, of: login.subject)
        return signedOut(signOut, PageText.youAreSignedOut.english, frames(of: clients, login.id, request))
            .settingCookies([cookies.session("")])
    }

    private func signedOut(
        _ signOut: CheckedSignOut,
        _ sentence: String,
        _ frames: [ClientURI] = []
    ) -> ProviderResponse {
        var parameters = Parameters()
        parameters[.state] = signOut.address?.state
        scenario.endSessionResponse(&parameters)
        let continuation = signOut.address.map { Self.extend($0.redirectURI, with: parameters) }
        if frames.isEmpty, let continuation { return .seeOther(continuation) }
        let page = SignedOutPage(
            frame: frame,
            sentence: sentence,
            clientFrames: frames.map(\.text),
            continuation: continuation
        )
        return .signedOut(page, frames: frames)
    }

    /// Checks hint, client and redirect URI, in every combination (OpenID Connect RP-Initiated Logout sections 2 and
    /// 3).
    private func check(_ parameters: Parameters) async throws -> CheckedSignOut {
        if let repetition = parameters.repetition { throw Refusal.page(repetition) }
        var signOut = CheckedSignOut()
        if let id = parameters[.clientID] {
            guard let client = try await client(id) else {
                throw Refusal.page("There is no client with this client_id.")
            }
            signOut.client = client
        }
        if let hint = parameters[.idTokenHint] {
            guard let claims = try await hintedClaims(hint), let subject = claims["sub"]?.string,
                let audience = claims["aud"]?.string, let client = try await client(audience)
            else { throw Refusal.page("The id_token_hint is not an ID token from here.") }
            guard signOut.client.map({ $0.id.utf8.elementsEqual(client.id.utf8) }) ?? true else {
                throw Refusal.page("The id_token_hint was made for another client.")
            }
            signOut.client = client
            signOut.hint = (subject, claims["sid"]?.string)
        }
        guard let uri = parameters[.postLogoutRedirectURI] else { return signOut }
        // Only a registered URI of a known client is accepted: anything else would make this an open redirector.
        guard let client = signOut.client else {
            throw Refusal.page("A post_logout_redirect_uri needs a client_id or an id_token_hint.")
        }
        guard client.postLogoutRedirectURIs.contains(where: { $0.covers(uri) }) else {
            throw Refusal.page("The post_logout_redirect_uri is not registered for this client.")
        }
        signOut.address = ReturnAddress(redirectURI: uri, state: parameters[.state])
        return signOut
    }
}
