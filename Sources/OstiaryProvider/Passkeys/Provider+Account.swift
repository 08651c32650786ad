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
    /// The longest age of a sign-in with which a user may change passkeys: a found browser session adds none.
    private static let longestLoginAge: Duration = .seconds(600)

    /// Returns the page for a user's passkeys, and handles its forms.
    func account(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard let relyingParty else { throw Refusal.page(PageText.noSuchPage.english, .notFound) }
        guard request.method == .post else {
            guard let id = pageInteraction(of: request) else { return try await openAccount(relyingParty, request) }
            let open = try await findInteraction(id, .account, request)
            let (_, user) = try await pendingUser(of: open, request)
            return oneTimePasswordPage(self.form(.account, open), named: configuration.name, user)
        }
        let (open, form) = try await postedInteraction(.account, request)
        if open.interaction.pending != nil { return try await enterOneTimePasswordForAccount(open, form, request) }
        if open.interaction.needsLogin { return try await logInForAccount(open, form, request) }
        let login = try await login(answering: open, request)
        guard isRecent(login), let user = user(subject: login.subject),
            !needsOneTimePasswordForAccount(user, after: login.methods)
        else { return .seeOther(routes.url(.account)) }
        if let text = form[Parameters.Name(rawValue: PageInput.passkey)] {
            try await finish(open)
            do {
                try await addPasskey(text, ceremony(relyingParty, csrf: open.csrf), to: user)
            } catch let failure as PasskeyFailure {
                report(failure, of: nil, request)
                return try await accountPage(relyingParty, login, user, request, failure: failure.sentence)
            }
        } else if let key = form[Parameters.Name(rawValue: PageInput.removal)] {
            try await finish(open)
            let own = try await passkeys(of: user.subject).map { Passkey.key(ofID: $0.id) }
            if own.contains(key) { try await storage.remove(.key(.passkey, key)) }
        } else {
            throw Refusal.page("The form has no decision.")
        }
        return .seeOther(routes.url(.account))
    }

    private func openAccount(
        _ relyingParty: RelyingParty,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let login = try await currentLogin(of: request)
        if let login, isRecent(login), let user = user(subject: login.subject) {
            guard !needsOneTimePasswordForAccount(user, after: login.methods) else {
                return try await stepUp(login, user, .account, Parameters(), configuration.name, request)
            }
            return try await accountPage(relyingParty, login, user, request, failure: nil)
        }
        let open = try await openInteraction(.account, Parameters(), request, needsLogin: true, session: nil)
        let name = login.flatMap { user(subject: $0.subject)?.name } ?? ""
        return loginPage(form(.account, open), named: configuration.name, LoginTry(userName: name))
            .settingCookies(open.newCookies)
    }

    private func logInForAccount(
        _ open: OpenInteraction,
        _ form: Parameters,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        guard form.decision != .refuse else {
            try await finish(open)
            return .seeOther(routes.url(.account))
        }
        switch try await attempt(form, open, of: nil, request) {
        case .failure(let failure):
            return loginPage(self.form(.account, open), named: configuration.name, failure)
        case .success(let authentication):
            try await finish(open)
            guard !needsOneTimePasswordForAccount(authentication.user, after: authentication.methods) else {
                return try await continueToOneTimePassword(authentication, .account, Parameters(), request)
            }
            let (_, cookie) = try await startLogin(authentication, request)
            return .seeOther(routes.url(.account)).settingCookies([cookie])
        }
    }

    private func enterOneTimePasswordForAccount(
        _ open: OpenInteraction,
        _ form: Parameters,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let (pending, user) = try await pendingUser(of: open, request)
        guard form.decision != .refuse else {
            try await finish(open)
            return .seeOther(routes.url(.account))
        }
        if let failure = try await attemptOneTimePassword(form, of: user) {
            return oneTimePasswordPage(self.form(.account, open), named: configuration.name, user, failure)
        }
        try await finish(open)
        let authentication = Authentication(user: user, methods: pending.methodsWithOneTimePassword)
        let (_, cookie) = try await startLogin(authentication, request, at: pending.authenticated)
        return .seeOther(routes.url(.account)).settingCookies([cookie])
    }

    /// Whether a user has to enter a one-time password before a change of passkeys.
    ///
    /// A user with an authenticator app always has to: a passkey is two factors, so the password alone must not be enough
    /// to make one.
    private func needsOneTimePasswordForAccount(_ user: ProviderUser, after methods: [String]) -> Bool {
        needsOneTimePassword(user, after: methods, for: [Self.multiFactorContext])
    }

    private func isRecent(_ login: LoginSession) -> Bool {
        now.timeIntervalSince(login.authenticated) <= Self.longestLoginAge.inSeconds
    }

    private func addPasskey(_ text: String, _ ceremony: PasskeyCeremony, to user: ProviderUser) async throws {
        let passkey = try PasskeyRegistration(text).passkey(
            ceremony,
            of: user.subject,
            userHandle: try await userHandle(of: user.subject),
            at: now
        )
        guard try await passkeys(of: user.subject).count < Passkey.maximumPerUser else { throw PasskeyFailure.tooMany }
        // Section 7.1 step 26: it is not registered for any user yet.
        guard try await storage.add(passkey.record) else { throw PasskeyFailure.taken }
    }

    private func accountPage(
        _ relyingParty: RelyingParty,
        _ login: LoginSession,
        _ user: ProviderUser,
        _ request: ProviderRequest,
        failure: String?
    ) async throws -> ProviderResponse {
        let open = try await openInteraction(.account, Parameters(), request, needsLogin: false, session: login.id)
        let passkeys = try await passkeys(of: user.subject)
        let form = form(.account, open)
        let prompt = try await creationPrompt(form, relyingParty, for: user, besides: passkeys)
        let page = AccountPage(
            frame: frame,
            form: form,
            userName: user.name,
            passkeys: passkeys.enumerated().map { index, passkey in
                AccountPage.PasskeyLine(
                    key: Passkey.key(ofID: passkey.id),
                    name: "\(index + 1) (\(passkey.added.ISO8601Format().prefix(10)))",
                    isBackedUp: passkey.isBackedUp
                )
            },
            prompt: prompt,
            failure: failure
        )
        return ProviderResponse.page(.account(page)).allowingScript(for: prompt).settingCookies(open.newCookies)
    }
}
