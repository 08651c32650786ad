import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// Handles the sign-in form.
    func logIn(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (open, form) = try await postedInteraction(.authorization, request)
        guard open.interaction.asksForPassword else { throw Refusal.page("This page does not ask for a password.") }
        let authorization = try await CheckedAuthorization(open.interaction.parameters, at: self)
        guard form.decision != .refuse else {
            try await finish(open)
            let error = OAuthError(code: .accessDenied, description: "The user did not sign in.")
            throw Refusal.redirect(error, authorization.address)
        }
        let authentication: Authentication
        switch try await attempt(form, open, of: authorization.client.id, request) {
        case .success(let known): authentication = known
        case .failure(let failure):
            return loginPage(self.form(.login, open), named: authorization.client.name, failure)
        }
        try await finish(open)
        let parameters = open.interaction.parameters
        let (user, methods) = (authentication.user, authentication.methods)
        guard !needsOneTimePassword(user, after: methods, for: authorization.contexts) else {
            return try await continueToOneTimePassword(authentication, .authorization, parameters, request)
        }
        let (login, cookie) = try await startLogin(authentication, request)
        return try await proceed(authorization, login, parameters, request).settingCookies([cookie])
    }

    /// The response to an authorization request that no page interrupts; `nil` where users sign in on pages.
    func signInAutomatically(
        _ authorization: CheckedAuthorization,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse? {
        guard case .automatic(let name) = configuration.signIn,
            let user = authorization.loginHint.flatMap(user(named:)) ?? user(named: name)
        else { return nil }
        let current = try await currentLogin(of: request)
        if let current, current.subject.utf8.elementsEqual(user.subject.utf8), authorization.maximumAge == nil,
            authorization.prompts.isDisjoint(with: [.login, .selectAccount])
        {
            return try await issueCode(authorization, current)
        }
        let authentication = Authentication(user: user, methods: LoginSession.passwordMethods)
        let (login, cookie) = try await startLogin(authentication, request)
        return try await issueCode(authorization, login).settingCookies([cookie])
    }

    /// Checks a name and a password, slowly on purpose, and more slowly still after many failures.
    func attemptLogin(_ form: Parameters) -> Result<ProviderUser, LoginTry> {
        let name = form[Parameters.Name(rawValue: PageInput.name)] ?? ""
        if configuration.signIn != .password {
            guard let user = user(named: name) else {
                return .failure(LoginTry(userName: name, sentence: PageText.unknownUser.english))
            }
            return .success(user)
        }
        let password = Secret(form[Parameters.Name(rawValue: PageInput.password)] ?? "")
        let limits = settings.throttle
        if let limits, let wait = throttle.withLock({ [now] in $0.wait(name, limits, now: now) }) {
            let sentence = LoginThrottle.sentence(wait, .wrongPasswordsMinute, .wrongPasswordsMinutes)
            return .failure(LoginTry(userName: name, sentence: sentence, wait: wait))
        }
        guard let user = verifiedUser(name, password) else {
            throttle.withLock { [now] in $0.recordFailure(name, limits ?? LoginThrottle.Limits(), now: now) }
            return .failure(LoginTry(userName: name, sentence: PageText.wrongPassword.english))
        }
        throttle.withLock { $0.recordSuccess(name) }
        return .success(user)
    }

    /// Returns the user with this name and password.
    ///
    /// An unknown name takes the same time as a known one.
    private func verifiedUser(_ name: String, _ password: Secret) -> ProviderUser? {
        let user = user(named: name)
        guard let hash = user?.passwordHash ?? users.first?.passwordHash.unmatchable else { return nil }
        return hash.matches(password) ? user : nil
    }

    /// Starts a login under a new secret, whatever cookie the browser sent: a session that an attacker planted is
    /// useless.
    ///
    /// The same user keeps the public `sid`, so that signing out ends both. The login of another user ends, unless a
    /// browser may have several.
    ///
    /// - Parameters:
    ///   - authentication: The user, and the methods.
    ///   - request: The request that the user has completed the sign-in with.
    ///   - time: The time of the first factor, where it was passed at an earlier request. Default: now.
    /// - Returns: The login, and the cookie that the browser has to keep.
    /// - Throws: The failure of the storage.
    func startLogin(
        _ authentication: Authentication,
        _ request: ProviderRequest,
        at time: Date? = nil
    ) async throws -> (LoginSession, Cookie) {
        let user = authentication.user
        let earlier = try await replacedLogin(by: user, request)
        let isSamePerson = earlier.map { $0.subject.utf8.elementsEqual(user.subject.utf8) } ?? false
        if let earlier {
            if isSamePerson {
                try await renewClients(of: earlier.id)
            } else {
                _ = try await endLogin(earlier.id, of: earlier.subject)
            }
        }
        let id = isSamePerson ? earlier?.id : nil
        // After a step-up the older factor decides: no client takes the password for newer than it is.
        var login = LoginSession(id: id ?? random.identifier(), subject: user.subject, authenticated: time ?? now)
        login.methods = authentication.methods
        let secret = random.secret()
        let expires = now.addingTimeInterval(lifetimes.loginSession.inSeconds)
        let record = login.record(secret: secret, expires: expires)
        guard configuration.accounts == .one else { return (login, try await keep(record, of: user, request)) }
        try await storage.put(record)
        return (login, cookies.session(secret))
    }

    /// Removes the login that a new one replaces, and returns it; `nil` for none.
    private func replacedLogin(by user: ProviderUser, _ request: ProviderRequest) async throws -> LoginSession? {
        switch configuration.accounts {
        case .one:
            let earlier = try await currentLogin(of: request)
            if let secret = request.cookie(cookies.session) {
                try await storage.remove(.key(.loginSession, SecretDigest(secret).text))
            }
            return earlier
        case .several:
            guard let account = try await accounts(of: request)[user.subject] else { return nil }
            let earlier = try await login(of: account)
            try await storage.remove(.key(.loginSession, account.login))
            return earlier
        }
    }

    /// Continues after the sign-in, with GET: to the consent page, or back to the client.
    func proceed(
        _ authorization: CheckedAuthorization,
        _ login: LoginSession,
        _ parameters: Parameters,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        guard try await needsConsent(authorization, login) else {
            do {
                return try await issueCode(authorization, login)
            } catch Refusal.redirect(let error, let address) {
                let refusal = Refusal.redirect(error, address)
                reportRefusal(refusal, hint: nil, of: request, ProviderResponse(status: .seeOther))
                // The user is signed in nevertheless, so the response is not thrown: it must carry the cookie.
                return errorRedirect(error, address)
            }
        }
        let open = try await openInteraction(.authorization, parameters, request, needsLogin: false, session: login.id)
        let query = Parameters([Parameters.Name(rawValue: PageInput.interaction): open.id])
        return .seeOther(Self.extend(routes.url(.consent), with: query)).settingCookies(open.newCookies)
    }

    /// The sign-in page, at first or after a failure.
    ///
    /// - Parameters:
    ///   - form: Its form.
    ///   - name: The name of the client, or that of the provider for its own pages.
    ///   - failure: The last attempt.
    /// - Returns: The page.
    func loginPage(_ form: PageForm, named name: String, _ failure: LoginTry) -> ProviderResponse {
        let page = LoginPage(
            frame: frame,
            form: form,
            clientName: name,
            userName: failure.userName,
            failure: failure.sentence,
            choices: configuration.signIn == .password ? [] : users.map(\.name),
            passkey: assertionPrompt(form)
        )
        return ProviderResponse.page(.login(page), waiting: failure.wait).allowingScript(for: page.passkey)
    }
}

/// A sign-in attempt for the sign-in page: the name, and the error of the last attempt.
struct LoginTry: Error {
    var userName: String
    /// The error; `nil` before the first attempt.
    var sentence: String?
    /// Seconds until the next try.
    var wait: Double?
}
