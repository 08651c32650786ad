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
    /// The largest number of elements that a list has.
    private static let maximumElements = 1000

    /// Responds to a request of the administration; `nil` for any other path, and without an administration token.
    ///
    /// Each request needs the token as a bearer token (RFC 6750 section 2.1), which no page of another origin has.
    func administer(_ request: ProviderRequest) async throws -> ProviderResponse? {
        guard let token = configuration.administrationToken, let rest = routes.administrationPath(request.path) else {
            return nil
        }
        guard let sent = request.bearerToken else { throw Refusal.unauthorizedRegistration() }
        guard token.matches(sent) else { throw Refusal.unauthorizedRegistration(.invalidToken) }
        guard let path = AdministrationPath(rest) else { throw Refusal.absent("There is no such resource.") }
        guard path.methods.contains(request.method) else {
            return ProviderResponse(
                status: .methodNotAllowed,
                fields: [.allow: path.methods.map(\.rawValue).joined(separator: ", "), .cacheControl: "no-store"]
            )
        }
        guard request.body.count <= maximumBodyBytes(of: request) else {
            throw Refusal.json(
                OAuthError(code: .invalidRequest, description: "The body is too large."),
                .contentTooLarge
            )
        }
        return switch path {
        case .users: list("users", users.map(\.administered))
        case .user(let name): try await administer(user: name, request)
        case .clients: try await administerClients(request)
        case .client(let id): try await administer(client: id, request)
        case .sessions: try await administerSessions(request)
        case .session(let id): try await administer(session: id, request)
        case .keys: try await administerKeys(request)
        case .scenarios: try administerScenarios(request)
        case .settings: try await administerSettings(request)
        case .clock: try administerClock(request)
        case .requests: try administerRequests(request)
        case .reset: try await administerReset()
        case .snapshot: try await administerSnapshot(request)
        }
    }

    /// Whether a request is one of the administration, which plays no scenario.
    func isOfAdministration(_ request: ProviderRequest) -> Bool {
        configuration.administrationToken != nil && routes.administrationPath(request.path) != nil
    }

    /// A list with at most 1,000 elements; `truncated` says that there are more.
    private func list(_ name: String, _ elements: [JSONObject]) -> ProviderResponse {
        var object: JSONObject = [name: .array(elements.prefix(Self.maximumElements).map { .object($0) })]
        if elements.count > Self.maximumElements { object["truncated"] = true }
        return .json(object)
    }

    // MARK: Users

    private func administer(user name: String, _ request: ProviderRequest) async throws -> ProviderResponse {
        switch request.method {
        case .put: return try await put(user: name, request)
        case .delete:
            guard let user = user(named: name) else { throw Refusal.absent("There is no such user.") }
            // Ended first: after a failure the user is still there, for another try.
            try await endAll(of: user.subject)
            // What has begun in between ends, too.
            if let removed = directory.remove(named: name) { try await endAll(of: removed.subject) }
            return .nothing
        default:
            guard let user = user(named: name) else { throw Refusal.absent("There is no such user.") }
            return .json(user.administered)
        }
    }

    private func put(user name: String, _ request: ProviderRequest) async throws -> ProviderResponse {
        let members = try administered(request, ["password", "sub", "claims", "one_time_password"])
        guard name.utf8.count <= 256 else { throw Refusal.json(.invalidRequest, "The name is longer than 256 bytes.") }
        guard members["claims"] == nil || members["claims"]?.object != nil else {
            throw Refusal.json(.invalidRequest, "claims is not an object.")
        }
        // Before the directory is locked: a hash takes long.
        // Where users sign in without a password, a new one has a password that no one knows.
        let needsNone = configuration.signIn != .password && user(named: name) == nil
        let passwordHash = try (members["password"] ?? (needsNone ? .string(random.secret()) : nil)).map(hash)
        let oneTimePassword = try members["one_time_password"].map(Self.oneTimePassword)
        let merge: (ProviderUser?) throws(Refusal) -> ProviderUser = { (former) throws(Refusal) in
            let subject = try Self.subject(members["sub"], former, name)
            guard let passwordHash = passwordHash ?? former?.passwordHash else {
                throw .json(.invalidRequest, "A new user needs a password: add the member password.")
            }
            let claims = members["claims"]?.object ?? former?.claims ?? [:]
            var user = ProviderUser(name: name, passwordHash: passwordHash, subject: subject, claims: claims)
            user.oneTimePassword = oneTimePassword ?? former?.oneTimePassword
            return user
        }
        // Tried first: a refused change ends nothing, and what cannot be ended leaves the user as before.
        _ = try await endFormerSubject(of: try directory.change(name, isTrial: true, merge))
        let (user, isNew) = try await endFormerSubject(of: try directory.change(name, merge))
        return .json(user.administered, status: isNew ? .created : .ok)
    }

    /// The authenticator app of a changed user; an inner `nil` for none, which `null` stands for.
    private static func oneTimePassword(_ member: JSONValue) throws -> OneTimePassword? {
        guard !member.isNull else { return nil }
        guard let password = member.object.flatMap(OneTimePassword.init(members:)) else {
            throw Refusal.json(
                .invalidRequest,
                "one_time_password is neither null nor an object with a secret of 16 to 128 bytes in base32."
            )
        }
        return password
    }

    /// The subject of a changed user: at most 255 ASCII characters (OpenID Connect Core section 2).
    private static func subject(
        _ member: JSONValue?,
        _ former: ProviderUser?,
        _ name: String
    ) throws(Refusal) -> String {
        if member == nil, let former { return former.subject }
        guard let subject = member.map({ $0.string }) ?? name, isSubject(subject) else {
            let sentence =
                member == nil
                ? "The name is not a sub of 1 to 255 ASCII characters: add the member sub."
                : "sub is not a text of 1 to 255 ASCII characters."
            throw .json(.invalidRequest, sentence)
        }
        return subject
    }

    static func isSubject(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Ends everything of the subject that a user has no more; the user, and whether it is a new one.
    private func endFormerSubject(of change: UserDirectory.Change) async throws -> (ProviderUser, isNew: Bool) {
        switch change {
        case .made(let user, let former):
            if let former, !former.subject.utf8.elementsEqual(user.subject.utf8) {
                try await endAll(of: former.subject)
            }
            return (user, former == nil)
        case .full:
            throw Refusal.json(OAuthError(code: .invalidRequest, description: "There are too many users."), .conflict)
        case .subjectTaken:
            throw Refusal.json(OAuthError(code: .invalidRequest, description: "Another user has this sub."), .conflict)
        }
    }

    /// Ends the logins of a user and every grant, and forgets the passkeys and the consents, so that another user with
    /// the `sub` gets none of them.
    private func endAll(of subject: String) async throws {
        try await endLogins(of: subject)
        try await removePasskeys(of: subject)
        for grant in try await storage.records(.grant).compactMap(IssuedGrant.init)
        where grant.session != nil && grant.subject.utf8.elementsEqual(subject.utf8) {
            try await storage.remove(.family(grant.id))
        }
        // A consent whose record has no user may be of this one.
        for consent in try await storage.records(.consent)
        where consent.value["sub"]?.string?.utf8.elementsEqual(subject.utf8) ?? true {
            try await storage.remove(.key(.consent, consent.key))
        }
    }

    private func hash(_ password: JSONValue) throws -> PasswordHash {
        guard let text = password.string, (1...PasswordHash.maximumPasswordBytes).contains(text.utf8.count) else {
            throw Refusal.json(
                .invalidRequest,
                "password is not a text of 1 to \(PasswordHash.maximumPasswordBytes) bytes."
            )
        }
        var numbers = random.numbers
        return try PasswordHash(
            Secret(text),
            cost: configuration.users.first?.passwordHash.cost ?? .standard,
            using: &numbers
        )
    }

    // MARK: Clients

    private func administerClients(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard request.method == .post else {
            let registered = try await storage.records(.registeredClient).compactMap(ClientRegistration.init)
                .map { administered($0.client(at: now, reach: configuration.registration.reach), isRegistered: true) }
            return list("clients", configuration.clients.map { administered($0, isRegistered: false) } + registered)
        }
        let metadata = try CheckedClientMetadata(try registrationMembers(request), at: currentConfiguration)
        try await checkSector(of: metadata)
        // The administration plays no scenario.
        return try await (scenario.name == Scenario.none.name ? self : playing(.none)).register(metadata)
    }

    private func administer(client id: String, _ request: ProviderRequest) async throws -> ProviderResponse {
        let registration = try await registration(id)
        guard request.method == .delete else {
            guard let client = try await client(id) else { throw Refusal.absent("There is no such client.") }
            if request.method == .patch { try await changeRules(of: client, request) }
            return .json(administered(client, isRegistered: registration != nil))
        }
        guard let registration else {
            guard configuration.client(id) == nil else {
                let error = OAuthError(code: .invalidRequest, description: "A client of the configuration stays.")
                throw Refusal.json(error, .conflict)
            }
            throw Refusal.absent("There is no such client.")
        }
        return try await remove(registration)
    }

    /// The client without its secret.
    private func administered(_ client: RegisteredClient, isRegistered: Bool) -> JSONObject {
        let allowed = allowedRules(of: client)
        return [
            "client_id": .string(client.id), "client_name": .string(client.name),
            "token_endpoint_auth_method": .string(client.authenticationMethod.name),
            "redirect_uris": .strings(client.redirectURIs.map(\.description)),
            "grant_types": .strings(client.grantTypes.map(\.rawValue).sorted()),
            "scope": .string(client.allowedScopes.text), "registered": .bool(isRegistered),
            "rules": .string(rules(for: client).name), "allow": .strings(allowed.map(\.rawValue).sorted()),
        ]
    }

    // MARK: Sessions

    private func administerSessions(_ request: ProviderRequest) async throws -> ProviderResponse {
        let logins = try await storage.records(.loginSession).filter { $0.expires.map { $0 > now } ?? true }
        guard request.method == .delete else {
            var elements: [JSONObject] = []
            for record in logins.prefix(Self.maximumElements + 1) { elements += try await administered(record) }
            return list("sessions", elements)
        }
        for login in logins.compactMap(LoginSession.init) { _ = try await endLogin(login.id, of: login.subject) }
        return .nothing
    }

    private func administer(session id: String, _ request: ProviderRequest) async throws -> ProviderResponse {
        let found = try await storage.records(.loginSession).first { record in
            record.expires.map { $0 > now } ?? true && record.session?.utf8.elementsEqual(id.utf8) ?? false
        }
        guard let found, let login = LoginSession(found) else { throw Refusal.absent("There is no such session.") }
        if request.method == .delete {
            _ = try await endLogin(login.id, of: login.subject)
            return .nothing
        }
        return .json(try await administered(found).first ?? [:])
    }

    private func administered(_ record: ProviderRecord) async throws -> [JSONObject] {
        guard let login = LoginSession(record) else { return [] }
        var object: JSONObject = [
            "sid": .string(login.id), "sub": .string(login.subject),
            "auth_time": .integer(login.authenticated.numericDate),
            "clients": .strings(try await clients(of: login.id).map(\.id)),
        ]
        object["name"] = user(subject: login.subject).map { .string($0.name) }
        object["exp"] = record.expires.map { .integer($0.numericDate) }
        return [object]
    }

    // MARK: Keys and scenarios

    private func administerKeys(_ request: ProviderRequest) async throws -> ProviderResponse {
        if request.method == .post { try await rotateSigningKeys() }
        let keys = try await keyRing.keys()
        let signing = Set(keys.signing.values.map(\.keyID))
        return list(
            "keys",
            keys.published(at: now).map { key in
                var object = key.jsonObject
                object["signs"] = .bool(key.keyID.map(signing.contains) ?? false)
                return object
            }
        )
    }

    private func administerScenarios(_ request: ProviderRequest) throws -> ProviderResponse {
        if request.method == .put {
            let members = try administered(request, ["turns"])
            guard let texts = members["turns"]?.array, texts.count <= 100 else {
                throw Refusal.json(.invalidRequest, "turns is not a list of at most 100 texts.")
            }
            var turns: [ScenarioTurn] = []
            for text in texts {
                do throws(ScenarioTurn.Failure) { turns.append(try ScenarioTurn(text.string ?? "")) } catch {
                    throw Refusal.json(.invalidRequest, "One of turns is wrong. \(error)")
                }
            }
            schedule.withLock { [turns] in $0 = ScenarioSchedule(turns) }
        }
        let turns = schedule.withLock { $0.turns.map(\.description) }
        return .json(["scenario": .string(scenario.name), "turns": .strings(turns)])
    }

    /// The members of a JSON body, each of them known.
    func administered(_ request: ProviderRequest, _ names: [String]) throws(Refusal) -> JSONObject {
        let type = request.fields[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/json", let object = try? JSONObject(parsing: request.body) else {
            throw .json(.invalidRequest, "The body has to be one JSON object, as application/json.")
        }
        guard object.names.allSatisfy(names.contains) else {
            throw .json(.invalidRequest, "The body has a member besides \(names.joined(separator: ", ")).")
        }
        return object
    }
}

extension Refusal {
    fileprivate static func absent(_ sentence: String) -> Refusal {
        .json(OAuthError(code: OAuthError.Code(rawValue: "not_found"), description: sentence), .notFound)
    }
}

extension ProviderResponse {
    /// The response without content to a change.
    static var nothing: ProviderResponse {
        ProviderResponse(status: .noContent, fields: [.cacheControl: "no-store"])
    }
}

extension ProviderUser {
    /// The user without the password and the secret of the authenticator app.
    fileprivate var administered: JSONObject {
        var object: JSONObject = ["name": .string(name), "sub": .string(subject), "claims": .object(claims)]
        object["one_time_password"] = oneTimePassword.map { password in
            [
                "algorithm": .string(password.algorithm.rawValue), "digits": .integer(password.digits),
                "period": .integer(Int(password.period.components.seconds)),
            ]
        }
        return object
    }
}
