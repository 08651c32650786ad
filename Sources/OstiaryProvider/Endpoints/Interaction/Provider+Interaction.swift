import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An interaction that has a page: its secret id, and the browser it belongs to.
struct OpenInteraction: Sendable {
    var id: String
    var interaction: Interaction
    var browser: String
    /// Set when the browser has no cookie yet.
    var newCookies: [Cookie] = []

    /// The anti-forgery token of the page's form: only a sender with this browser's cookie can make it.
    var csrf: String { SecretDigest("\(browser).\(id)").text }
}

extension Provider {
    /// Stores a request until the user has answered.
    func openInteraction(
        _ purpose: Interaction.Purpose,
        _ parameters: Parameters,
        _ request: ProviderRequest,
        needsLogin: Bool,
        session: String?,
        pending: PendingUser? = nil,
        asksForAccount: Bool = false
    ) async throws -> OpenInteraction {
        // An attacker might guess a cookie that the provider did not make.
        let known = request.cookie(cookies.browser).flatMap { RandomSource.isSecret($0) ? $0 : nil }
        let browser = known ?? random.secret()
        let id = random.secret()
        var interaction = Interaction(
            purpose: purpose,
            parameters: parameters,
            browser: SecretDigest(browser),
            needsLogin: needsLogin,
            session: session,
            pending: pending
        )
        interaction.asksForAccount = asksForAccount
        let expires = now.addingTimeInterval(lifetimes.interaction.inSeconds)
        try await storage.put(interaction.record(id: id, expires: expires))
        return OpenInteraction(
            id: id,
            interaction: interaction,
            browser: browser,
            newCookies: known == nil ? cookies.firstVisit(browser, interaction: id) : []
        )
    }

    /// The interaction that a browser names, if it is this browser's.
    func findInteraction(
        _ id: String?,
        _ purpose: Interaction.Purpose,
        _ request: ProviderRequest
    ) async throws -> OpenInteraction {
        guard let id, let record = try await storage.record(.interaction, SecretDigest(id).text),
            record.expires.map({ $0 > now }) ?? true, let interaction = Interaction(record),
            interaction.purpose == purpose
        else { throw Refusal.page(PageText.pageTooOld.english) }
        // The cookie of the first visit counts too: another window's first visit may have replaced the browser's.
        let candidates = [cookies.browser, cookies.firstVisit(id)].compactMap(request.cookie)
        guard let browser = candidates.first(where: interaction.browser.matches) else {
            throw Refusal.page(PageText.otherBrowser.english, .forbidden)
        }
        return OpenInteraction(id: id, interaction: interaction, browser: browser)
    }

    /// Returns the interaction that a form belongs to, and the form.
    ///
    /// The form must come from the page that this browser received (RFC 9700 section 4.7).
    func postedInteraction(
        _ purpose: Interaction.Purpose,
        _ request: ProviderRequest
    ) async throws -> (OpenInteraction, form: Parameters) {
        guard let form = request.formParameters, form.repetition == nil else {
            throw Refusal.page(PageText.formUnreadable.english)
        }
        let name = Parameters.Name(rawValue: PageInput.interaction)
        let open = try await findInteraction(form[name], purpose, request)
        guard let csrf = form[Parameters.Name(rawValue: PageInput.csrf)], constantTimeEqual(csrf, open.csrf) else {
            throw Refusal.page(PageText.foreignForm.english, .forbidden)
        }
        return (open, form)
    }

    /// Lets an interaction be answered once.
    func finish(_ open: OpenInteraction) async throws {
        guard case .first = try await storage.use(.interaction, SecretDigest(open.id).text) else {
            throw Refusal.page(PageText.answeredBefore.english)
        }
    }

    /// The form of a page.
    func form(_ route: Route, _ open: OpenInteraction) -> PageForm {
        PageForm(
            action: routes.url(route),
            hiddenFields: [
                PageForm.HiddenField(name: PageInput.interaction, value: open.id),
                PageForm.HiddenField(name: PageInput.csrf, value: open.csrf),
            ]
        )
    }

    /// Returns the login of this browser; of several, the last used one.
    func currentLogin(of request: ProviderRequest) async throws -> LoginSession? {
        switch configuration.accounts {
        case .one:
            guard let secret = request.cookie(cookies.session) else { return nil }
            return try await storedLogin(SecretDigest(secret).text)
        case .several:
            guard let last = try await accounts(of: request).accounts.first else { return nil }
            return try await login(of: last)
        }
    }

    /// Returns the login whose record has a key; `nil` when it has ended.
    func storedLogin(_ key: String) async throws -> LoginSession? {
        guard let record = try await storage.record(.loginSession, key), record.expires.map({ $0 > now }) ?? true,
            let login = LoginSession(record), user(subject: login.subject) != nil
        else { return nil }
        return login
    }
}

extension Parameters {
    /// The button that the user pressed.
    var decision: PageInput.Decision? {
        self[Name(rawValue: PageInput.decision)].flatMap(PageInput.Decision.init(rawValue:))
    }
}
