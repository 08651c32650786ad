import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// Chooses the account for a request, or asks the user to; `nil` where the last used account decides.
    ///
    /// `id_token_hint`, the claim `sub` and `login_hint` choose an account of this browser, and `prompt=select_account`
    /// asks (OpenID Connect Core section 3.1.2.1).
    func chooseAccount(
        _ authorization: CheckedAuthorization,
        _ parameters: Parameters,
        _ hinted: String?,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse? {
        let accounts = try await accounts(of: request)
        guard !accounts.accounts.isEmpty else { return nil }
        guard !authorization.prompts.contains(.selectAccount) else {
            return try await askForAccount(accounts, authorization, parameters, request)
        }
        if hinted != nil || authorization.loginHint != nil {
            let account = account(among: accounts, hinted, authorization.loginHint)
            var login: LoginSession?
            if let account { login = try await self.login(of: account) }
            if let account, login != nil { try await use(account, request) }
            let name = account.flatMap { user(subject: $0.subject)?.name }
            return try await respond(to: authorization, parameters, login, hinted, request, userName: name)
        }
        guard try await currentLogin(of: request) == nil else { return nil }
        guard authorization.prompts.contains(.none) else {
            return try await askForAccount(accounts, authorization, parameters, request)
        }
        for account in accounts.accounts {
            guard try await login(of: account) != nil else { continue }
            let error = OAuthError(code: .accountSelectionRequired, description: "The user has to choose an account.")
            throw Refusal.redirect(error, authorization.address)
        }
        return nil
    }

    /// Handles the form of the account chooser.
    func chooseAccount(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (open, form) = try await postedInteraction(.authorization, request)
        guard open.interaction.asksForAccount else { throw Refusal.page("This page does not ask for an account.") }
        let parameters = open.interaction.parameters
        let authorization = try await CheckedAuthorization(parameters, at: self)
        if let id = form[Parameters.Name(rawValue: PageInput.forgottenAccount)] {
            if let account = try await accounts(of: request).account(withID: id) { try await forget(account, request) }
            let rest = try await accounts(of: request)
            guard rest.accounts.isEmpty else { return try await accountsPage(rest, authorization.client, open) }
            try await finish(open)
            return try await askForLogin(authorization, parameters, request)
        }
        guard form.decision != .refuse else {
            try await finish(open)
            let error = OAuthError(code: .accessDenied, description: "The user did not choose an account.")
            throw Refusal.redirect(error, authorization.address)
        }
        guard let id = form[Parameters.Name(rawValue: PageInput.account)] else {
            try await finish(open)
            return try await askForLogin(authorization, parameters, request)
        }
        guard let account = try await accounts(of: request).account(withID: id) else {
            return try await accountsPage(try await accounts(of: request), authorization.client, open)
        }
        try await finish(open)
        try await use(account, request)
        return try await respond(
            to: authorization,
            parameters,
            try await login(of: account),
            try await hintedSubject(authorization),
            request,
            userName: user(subject: account.subject)?.name,
            choice: .made
        )
    }

    /// The account that a hint names; `nil` for none of this browser.
    private func account(
        among accounts: BrowserAccounts,
        _ subject: String?,
        _ loginHint: String?
    ) -> BrowserAccounts.Account? {
        if let subject { return accounts[subject] }
        return accounts.accounts.first { account in
            guard let user = user(subject: account.subject), let loginHint else { return false }
            return [user.name, user.claims["email"]?.string ?? ""].contains { $0.utf8.elementsEqual(loginHint.utf8) }
        }
    }

    private func askForAccount(
        _ accounts: BrowserAccounts,
        _ authorization: CheckedAuthorization,
        _ parameters: Parameters,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let open = try await openInteraction(
            .authorization,
            parameters,
            request,
            needsLogin: true,
            session: nil,
            asksForAccount: true
        )
        return try await accountsPage(accounts, authorization.client, open).settingCookies(open.newCookies)
    }

    private func accountsPage(
        _ accounts: BrowserAccounts,
        _ client: RegisteredClient,
        _ open: OpenInteraction
    ) async throws -> ProviderResponse {
        var page = AccountsPage(frame: frame, form: form(.accounts, open), clientName: client.name, accounts: [])
        for account in accounts.accounts {
            guard let user = user(subject: account.subject) else { continue }
            let isSignedIn = try await login(of: account) != nil
            page.accounts.append(AccountsPage.Account(id: account.id, name: user.name, isSignedIn: isSignedIn))
        }
        return .page(.accounts(page))
    }
}

extension OAuthError.Code {
    static let accountSelectionRequired = Self(rawValue: "account_selection_required")
}
