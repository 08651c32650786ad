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
            return try await askForAccount(accounts, .authorization, parameters, authorization.client, request)
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
            return try await askForAccount(accounts, .authorization, parameters, authorization.client, request)
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
        let (open, form) = try await postedChoice(.authorization, request)
        let parameters = open.interaction.parameters
        let authorization = try await CheckedAuthorization(parameters, at: self)
        switch try await choice(open, form, authorization.client, request) {
        case .unfinished(let page): return page
        case .refused:
            let error = OAuthError(code: .accessDenied, description: "The user did not choose an account.")
            throw Refusal.redirect(error, authorization.address)
        case .another: return try await askForLogin(authorization, parameters, request)
        case .account(let account):
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
    }

    /// A user's choice in the account chooser.
    enum ChosenAccount {
        /// An account of this browser, which is the last used one now.
        case account(BrowserAccounts.Account)
        /// An account that is not in the chooser.
        case another
        /// No account.
        case refused
        /// None yet: the chooser without the account that the user has forgotten.
        case unfinished(ProviderResponse)
    }

    /// The interaction of an account chooser, and its form.
    func postedChoice(
        _ purpose: Interaction.Purpose,
        _ request: ProviderRequest
    ) async throws -> (OpenInteraction, form: Parameters) {
        let (open, form) = try await postedInteraction(purpose, request)
        guard open.interaction.asksForAccount else { throw Refusal.page("This page does not ask for an account.") }
        return (open, form)
    }

    /// Reads the form of the account chooser, and finishes its interaction unless the chooser comes again.
    func choice(
        _ open: OpenInteraction,
        _ form: Parameters,
        _ client: RegisteredClient,
        _ request: ProviderRequest
    ) async throws -> ChosenAccount {
        if let id = form[Parameters.Name(rawValue: PageInput.forgottenAccount)] {
            if let account = try await accounts(of: request).account(withID: id) { try await forget(account, request) }
            let rest = try await accounts(of: request)
            guard rest.accounts.isEmpty else { return .unfinished(try await accountsPage(rest, client, open)) }
            try await finish(open)
            return .another
        }
        guard form.decision != .refuse else {
            try await finish(open)
            return .refused
        }
        guard let id = form[Parameters.Name(rawValue: PageInput.account)] else {
            try await finish(open)
            return .another
        }
        let offered = try await accounts(of: request)
        guard let account = offered.account(withID: id) else {
            return .unfinished(try await accountsPage(offered, client, open))
        }
        try await finish(open)
        try await use(account, request)
        return .account(account)
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

    /// Opens the account chooser.
    func askForAccount(
        _ accounts: BrowserAccounts,
        _ purpose: Interaction.Purpose,
        _ parameters: Parameters,
        _ client: RegisteredClient,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let open = try await openInteraction(
            purpose,
            parameters,
            request,
            needsLogin: true,
            session: nil,
            asksForAccount: true
        )
        return try await accountsPage(accounts, client, open).settingCookies(open.newCookies)
    }

    private func accountsPage(
        _ accounts: BrowserAccounts,
        _ client: RegisteredClient,
        _ open: OpenInteraction
    ) async throws -> ProviderResponse {
        let route: Route = open.interaction.purpose == .device ? .deviceAccounts : .accounts
        var page = AccountsPage(frame: frame, form: form(route, open), clientName: client.name, accounts: [])
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
