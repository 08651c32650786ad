import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// Returns the page for a one-time password, and handles its form.
    func enterOneTimePassword(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard request.method == .post else {
            let open = try await findInteraction(pageInteraction(of: request), .authorization, request)
            let (_, user) = try await pendingUser(of: open, request)
            let authorization = try await CheckedAuthorization(open.interaction.parameters, at: self)
            return oneTimePasswordPage(form(.oneTimePassword, open), named: authorization.client.name, user)
        }
        let (open, form) = try await postedInteraction(.authorization, request)
        let (pending, user) = try await pendingUser(of: open, request)
        let authorization = try await CheckedAuthorization(open.interaction.parameters, at: self)
        guard form.decision != .refuse else {
            try await finish(open)
            let error = OAuthError(code: .accessDenied, description: "The user did not enter a one-time password.")
            throw Refusal.redirect(error, authorization.address)
        }
        if let failure = try await attemptOneTimePassword(form, of: user) {
            return oneTimePasswordPage(
                self.form(.oneTimePassword, open),
                named: authorization.client.name,
                user,
                failure
            )
        }
        try await finish(open)
        let authentication = Authentication(user: user, methods: pending.methodsWithOneTimePassword)
        let (login, cookie) = try await startLogin(authentication, request, at: pending.authenticated)
        return try await proceed(authorization, login, open.interaction.parameters, request).settingCookies([cookie])
    }

    /// Decides whether a user has to enter a one-time password.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - methods: The methods so far, as `amr` has them. Default: the password.
    ///   - requested: The requested authentication contexts, the best first. Default: none.
    /// - Returns: Whether the password is missing.
    func needsOneTimePassword(
        _ user: ProviderUser,
        after methods: [String] = LoginSession.passwordMethods,
        for requested: [String] = []
    ) -> Bool {
        guard user.oneTimePassword != nil, !methods.contains(LoginSession.multiFactor) else { return false }
        // The first one that a password can meet, with a one-time password or without.
        let context = requested.first { $0 == Self.passwordContext || $0 == Self.multiFactorContext }
        return configuration.secondFactor == .always || context == Self.multiFactorContext
    }

    /// Requests the one-time password of a user who has just passed the first factor.
    func continueToOneTimePassword(
        _ authentication: Authentication,
        _ purpose: Interaction.Purpose,
        _ parameters: Parameters,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let open = try await openInteraction(
            purpose,
            parameters,
            request,
            needsLogin: true,
            session: nil,
            pending: PendingUser(subject: authentication.user.subject, methods: authentication.methods)
        )
        let query = Parameters([Parameters.Name(rawValue: PageInput.interaction): open.id])
        let route = Self.oneTimePasswordRoute(purpose)
        return .seeOther(Self.extend(routes.url(route), with: query)).settingCookies(open.newCookies)
    }

    /// Requests the one-time password of a signed-in user, and nothing else. (RFC 9470 section 5)
    func stepUp(
        _ login: LoginSession,
        _ user: ProviderUser,
        _ purpose: Interaction.Purpose,
        _ parameters: Parameters,
        _ name: String,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let open = try await openInteraction(
            purpose,
            parameters,
            request,
            needsLogin: true,
            session: login.id,
            pending: PendingUser(subject: user.subject, methods: login.methods, authenticated: login.authenticated)
        )
        let form = form(Self.oneTimePasswordRoute(purpose), open)
        return oneTimePasswordPage(form, named: name, user).settingCookies(open.newCookies)
    }

    /// The endpoint of the page for a one-time password, and of its form.
    private static func oneTimePasswordRoute(_ purpose: Interaction.Purpose) -> Route {
        switch purpose {
        case .device: .deviceOneTimePassword
        case .account: .account
        case .authorization, .signOut, .userCode: .oneTimePassword
        }
    }

    /// The user whose one-time password a page requests.
    ///
    /// The page of a signed-in user ends with the login.
    func pendingUser(of open: OpenInteraction, _ request: ProviderRequest) async throws -> (PendingUser, ProviderUser) {
        guard let pending = open.interaction.pending, let user = user(subject: pending.subject),
            user.oneTimePassword != nil
        else { throw Refusal.page("This page does not ask for a one-time password.") }
        if let session = open.interaction.session {
            guard try await login(session, of: request) != nil else {
                throw Refusal.page(PageText.notSignedInAnyMore.english, .forbidden)
            }
        }
        return (pending, user)
    }

    /// Checks a typed one-time password, which is accepted once; `nil` when it is right.
    ///
    /// As many wrong ones as wrong passwords, by default ten within five minutes, close the user's name for the rest of
    /// that time, since a million guesses are few (RFC 4226 section 7.3).
    func attemptOneTimePassword(_ form: Parameters, of user: ProviderUser) async throws -> LoginTry? {
        let typed = form[Parameters.Name(rawValue: PageInput.oneTimePassword)] ?? ""
        let step = user.oneTimePassword?.step(of: typed, at: now)
        let limits = settings.throttle
        let wait = oneTimePasswordThrottle.withLock { [now] throttle -> Double? in
            if let limits, let wait = throttle.wait(user.subject, limits, now: now) { return wait }
            if step == nil { throttle.recordFailure(user.subject, limits ?? LoginThrottle.Limits(), now: now) }
            return nil
        }
        if let wait {
            let sentence = LoginThrottle.sentence(wait, .wrongCodesMinute, .wrongCodesMinutes)
            return LoginTry(userName: user.name, sentence: sentence, wait: wait)
        }
        guard let password = user.oneTimePassword, let step, try await storage.add(password.use(step, by: user)) else {
            if step != nil {
                oneTimePasswordThrottle.withLock { [now] in
                    $0.recordFailure(user.subject, limits ?? LoginThrottle.Limits(), now: now)
                }
            }
            return LoginTry(userName: user.name, sentence: PageText.wrongCode.english)
        }
        oneTimePasswordThrottle.withLock { $0.recordSuccess(user.subject) }
        return nil
    }

    /// The page for a one-time password, at first or after a failure.
    ///
    /// - Parameters:
    ///   - form: Its form.
    ///   - name: The name of the client, or that of the provider for its own pages.
    ///   - user: The user.
    ///   - failure: The last attempt. Default: none.
    /// - Returns: The page.
    func oneTimePasswordPage(
        _ form: PageForm,
        named name: String,
        _ user: ProviderUser,
        _ failure: LoginTry? = nil
    ) -> ProviderResponse {
        let page = OneTimePasswordPage(
            frame: frame,
            form: form,
            clientName: name,
            userName: user.name,
            failure: failure?.sentence
        )
        return .page(.oneTimePassword(page), waiting: failure?.wait)
    }

    /// The identifier in the query of a page.
    func pageInteraction(of request: ProviderRequest) -> String? {
        request.queryParameters?[Parameters.Name(rawValue: PageInput.interaction)]
    }
}

extension Provider {
    /// The page for a one-time password while a device waits, and its form.
    func enterOneTimePasswordForDevice(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard request.method == .post else {
            let open = try await findInteraction(pageInteraction(of: request), .device, request)
            let (_, user) = try await pendingUser(of: open, request)
            let (_, client) = try await device(of: open)
            return oneTimePasswordPage(form(.deviceOneTimePassword, open), named: client.name, user)
        }
        let (open, form) = try await postedInteraction(.device, request)
        let (pending, user) = try await pendingUser(of: open, request)
        let (device, client) = try await device(of: open)
        guard form.decision != .refuse else {
            try await finish(open)
            return try await decide(.denied, device, PageText.notSignedInNothingAllowed.english)
        }
        if let failure = try await attemptOneTimePassword(form, of: user) {
            return oneTimePasswordPage(self.form(.deviceOneTimePassword, open), named: client.name, user, failure)
        }
        try await finish(open)
        let authentication = Authentication(user: user, methods: pending.methodsWithOneTimePassword)
        let (login, cookie) = try await startLogin(authentication, request, at: pending.authenticated)
        return try await continueToConsent(open.interaction.parameters, login, request).settingCookies([cookie])
    }
}

extension OneTimePassword {
    /// The record of an accepted password.
    fileprivate func use(_ step: Int, by user: ProviderUser) -> ProviderRecord {
        ProviderRecord(
            kind: .oneTimePassword,
            key: digest(of: step, for: user.subject).text,
            value: [:],
            expires: end(of: step)
        )
    }
}
