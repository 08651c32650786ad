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
    /// The page on which the user enters or confirms a device's code, and its form (RFC 8628 section 3.3).
    func device(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard request.method == .post else {
            guard let parameters = request.queryParameters, parameters.repetition == nil else {
                throw Refusal.page("The request's parameters cannot be read.")
            }
            let none = Parameters()
            let open = try await openInteraction(.userCode, none, request, needsLogin: false, session: nil)
            // The page does not repeat a malformed code: an attacker can make a link to this page.
            let code = parameters[.userCode].flatMap(UserCode.init(typed:))
            return userCodePage(open, typed: code?.formatted ?? "", failure: nil).settingCookies(open.newCookies)
        }
        let (open, form) = try await postedInteraction(.userCode, request)
        guard form.decision != .refuse else {
            try await finish(open)
            return deviceDone(PageText.nothingAllowed.english)
        }
        let typed = form[.userCode] ?? ""
        if let wait = userCodeThrottle.withLock({ [now] in $0.wait(Self.allUserCodes, now: now) }) {
            let failure = LoginThrottle.sentence(wait, .wrongCodesMinute, .wrongCodesMinutes)
            var response = userCodePage(open, typed: typed, failure: failure)
            response.status = .tooManyRequests
            response.fields[.retryAfter] = String(Int(wait.rounded(.up)))
            return response
        }
        guard let code = UserCode(typed: typed), let (_, client) = try await openDevice(code) else {
            userCodeThrottle.withLock { [now] in $0.recordFailure(Self.allUserCodes, now: now) }
            return userCodePage(open, typed: typed, failure: PageText.wrongCode.english)
        }
        try await finish(open)
        return try await askAbout(code, client, request)
    }

    /// Handles the sign-in form while a device waits.
    func logInForDevice(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (open, form) = try await postedInteraction(.device, request)
        guard open.interaction.asksForPassword else { throw Refusal.page("This page does not ask for a password.") }
        let (device, client) = try await device(of: open)
        guard form.decision != .refuse else {
            try await finish(open)
            return try await decide(.denied, device, PageText.notSignedInNothingAllowed.english)
        }
        switch try await attempt(form, open, of: client.id, request) {
        case .failure(let failure): return loginPage(self.form(.deviceLogin, open), named: client.name, failure)
        case .success(let authentication):
            try await finish(open)
            guard !needsOneTimePassword(authentication.user, after: authentication.methods) else {
                return try await continueToOneTimePassword(
                    authentication,
                    .device,
                    open.interaction.parameters,
                    request
                )
            }
            let (login, cookie) = try await startLogin(authentication, request)
            return try await continueToConsent(open.interaction.parameters, login, request).settingCookies([cookie])
        }
    }

    /// Continues after the sign-in, with GET, to the consent page.
    func continueToConsent(
        _ parameters: Parameters,
        _ login: LoginSession,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let next = try await openInteraction(.device, parameters, request, needsLogin: false, session: login.id)
        let query = Parameters([Parameters.Name(rawValue: PageInput.interaction): next.id])
        return .seeOther(Self.extend(routes.url(.deviceConsent), with: query))
    }

    /// Returns the page for the decision about a device, and handles its form.
    func consentToDevice(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard request.method == .post else {
            let id = request.queryParameters?[Parameters.Name(rawValue: PageInput.interaction)]
            let open = try await findInteraction(id, .device, request)
            let login = try await login(answering: open, request)
            let (device, client) = try await device(of: open)
            return deviceConsentPage(device, client, login, open)
        }
        let (open, form) = try await postedInteraction(.device, request)
        let login = try await login(answering: open, request)
        let (device, client) = try await device(of: open)
        guard let decision = form.decision else { throw Refusal.page("The form has no decision.") }
        try await finish(open)
        guard decision == .accept else {
            return try await decide(.denied, device, PageText.nothingAllowed.english)
        }
        let lifetimes = self.lifetimes
        let isOffline = device.scopes.contains(.offlineAccess)
        var grant = IssuedGrant(
            id: random.identifier(),
            clientID: client.id,
            subject: login.subject,
            scopes: device.scopes,
            resources: device.resources,
            authenticated: login.authenticated,
            session: login.id,
            expires: now.addingTimeInterval(
                (isOffline ? lifetimes.refreshToken : lifetimes.deviceCode + lifetimes.accessToken).inSeconds
            )
        )
        grant.methods = login.methods
        grant.context = Self.context(of: login.methods)
        try await remember(client, in: login.id)
        try await storage.put(grant.record)
        return try await decide(.allowed(grant: grant.id), device, PageText.deviceDone.english)
    }

    /// Handles the form of the account chooser while a device waits.
    func chooseAccountForDevice(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (open, form) = try await postedChoice(.device, request)
        let (device, client) = try await device(of: open)
        let parameters = open.interaction.parameters
        switch try await choice(open, form, client, request) {
        case .unfinished(let page): return page
        case .refused: return try await decide(.denied, device, PageText.notSignedInNothingAllowed.english)
        case .another: return try await askForDeviceLogin(parameters, client, request)
        case .account(let account):
            guard let login = try await login(of: account) else {
                let name = user(subject: account.subject)?.name ?? ""
                return try await askForDeviceLogin(parameters, client, request, userName: name)
            }
            return try await askAbout(parameters, client, login, request)
        }
    }

    /// Continues with a code: to the account chooser, to the sign-in page, or to the consent page.
    ///
    /// No parameter of a device chooses an account, so the user does where a browser may have several.
    private func askAbout(
        _ code: UserCode,
        _ client: RegisteredClient,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let parameters = Parameters([.userCode: code.letters])
        let accounts = try await accounts(of: request)
        guard accounts.accounts.isEmpty else {
            return try await askForAccount(accounts, .device, parameters, client, request)
        }
        guard let login = try await currentLogin(of: request) else {
            return try await askForDeviceLogin(parameters, client, request)
        }
        return try await askAbout(parameters, client, login, request)
    }

    /// Continues with a login: to the page for a one-time password, or to the consent page.
    private func askAbout(
        _ parameters: Parameters,
        _ client: RegisteredClient,
        _ login: LoginSession,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        if let user = user(subject: login.subject), needsOneTimePassword(user, after: login.methods) {
            return try await stepUp(login, user, .device, parameters, client.name, request)
        }
        let open = try await openInteraction(.device, parameters, request, needsLogin: false, session: login.id)
        let (device, client) = try await device(of: open)
        return deviceConsentPage(device, client, login, open).settingCookies(open.newCookies)
    }

    /// Opens the sign-in page while a device waits.
    private func askForDeviceLogin(
        _ parameters: Parameters,
        _ client: RegisteredClient,
        _ request: ProviderRequest,
        userName: String = ""
    ) async throws -> ProviderResponse {
        let open = try await openInteraction(.device, parameters, request, needsLogin: true, session: nil)
        return loginPage(form(.deviceLogin, open), named: client.name, LoginTry(userName: userName))
            .settingCookies(open.newCookies)
    }

    /// Returns the device with a user code, if the user has not decided about it.
    private func openDevice(_ code: UserCode) async throws -> (PendingDevice, RegisteredClient)? {
        guard let record = try await storage.record(.userCode, code.key), let key = record.value["device"]?.string,
            try await !storage.wasUsed(.userCode, code.key),
            let device = try await storage.record(.deviceCode, key).flatMap(PendingDevice.init), device.expires > now,
            let client = try await client(device.clientID)
        else { return nil }
        return (device, client)
    }

    func device(of open: OpenInteraction) async throws -> (PendingDevice, RegisteredClient) {
        guard let code = open.interaction.parameters[.userCode].flatMap(UserCode.init(typed:)),
            let found = try await openDevice(code)
        else { throw Refusal.page(PageText.deviceCodeOld.english) }
        return found
    }

    /// Keeps the decision: the first about this code, and no other.
    func decide(
        _ decision: DeviceDecision,
        _ device: PendingDevice,
        _ sentence: String
    ) async throws -> ProviderResponse {
        guard case .first = try await storage.use(.userCode, device.userCode.key) else {
            if case .allowed(let grant) = decision { try await storage.remove(.family(grant)) }
            throw Refusal.page(PageText.deviceCodeUsed.english)
        }
        try await storage.put(decision.record(device, remembered: remembered(device)))
        return deviceDone(sentence)
    }

    private func userCodePage(_ open: OpenInteraction, typed: String, failure: String?) -> ProviderResponse {
        .page(.userCode(UserCodePage(frame: frame, form: form(.device, open), userCode: typed, failure: failure)))
    }

    private func deviceConsentPage(
        _ device: PendingDevice,
        _ client: RegisteredClient,
        _ login: LoginSession,
        _ open: OpenInteraction
    ) -> ProviderResponse {
        let page = DeviceConsentPage(
            frame: frame,
            form: form(.deviceConsent, open),
            clientName: client.name,
            userName: user(subject: login.subject)?.name ?? "",
            userCode: device.userCode.formatted,
            scopes: configuration.scopes.filter { device.scopes.contains($0.scope) }.map { ConsentPage.ScopeLine($0) }
        )
        return .page(.deviceConsent(page))
    }

    private func deviceDone(_ sentence: String) -> ProviderResponse {
        .page(.deviceDone(DeviceDonePage(frame: frame, sentence: sentence)))
    }

    /// Counts wrong codes together for all users: an attacker can use many accounts (RFC 8628 section 5.1).
    ///
    /// A right code does not reset the count, since an attacker can have a device of their own.
    private static let allUserCodes = "user codes"
}
