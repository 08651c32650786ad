import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// A step that was served although the strict rules refuse it.
struct Admission: Sendable {
    var rule: ProviderRule
    /// The step, in one sentence.
    var reason: String
}

extension Provider {
    /// The rules for a client: its own, or the configuration's.
    func rules(for client: RegisteredClient) -> ProviderRules {
        let own = settings.clientRules(idWithoutScenario(client.id))
        return (own?.rules ?? client.rules ?? rules).allowing(allowedRules(of: client))
    }

    /// The rules that requests of a client may break, by its own `allow`.
    func allowedRules(of client: RegisteredClient) -> Set<ProviderRule> {
        settings.clientRules(idWithoutScenario(client.id))?.allowed ?? client.allowedRules
    }

    /// The rules of a client's own, before which those of the provider change nothing; `nil` for none.
    private func ownRules(of id: String) -> ProviderRules? {
        let id = idWithoutScenario(id)
        return settings.clientRules(id)?.rules ?? configuration.client(id)?.rules
    }

    /// The setting under which a step of a client is refused that its rules serve, in one sentence.
    private func strictSetting(_ rule: ProviderRule, for client: RegisteredClient) -> String {
        let isAllowed = allowedRules(of: client).contains(rule)
        let exception = isAllowed ? ", without \(rule.rawValue) in the client's allow" : ""
        guard ownRules(of: client.id) != nil else { return "--rules strict refuses this\(exception)." }
        return "The client has rules of its own; with rules strict there it is refused\(exception)."
    }

    /// Reports steps that the strict rules refuse.
    func reportAdmissions(_ admissions: [Admission], of client: RegisteredClient, _ request: ProviderRequest) {
        for admission in admissions where !ProviderRules.strict.isLenient(in: admission.rule) {
            send(
                ProviderEvent(
                    .admitted,
                    path: request.path,
                    clientID: client.id,
                    reason: admission.reason,
                    rule: admission.rule,
                    mend: "\(admission.rule.change) \(strictSetting(admission.rule, for: client))"
                ),
                of: request
            )
        }
    }

    /// Reports scopes that a request does not get.
    func reportOmission(of scopes: [Scope], for client: RegisteredClient, _ request: ProviderRequest) {
        guard !scopes.isEmpty else { return }
        let names = scopes.map(\.rawValue).joined(separator: " ").logged
        let unknown = scopes.filter { !knownScopes.contains($0) }
        // With the scope alone there would still be no refresh tokens for it.
        let lacksGrant = scopes == [.offlineAccess] && client.allowedScopes.contains(.offlineAccess)
        send(
            ProviderEvent(
                .narrowed,
                path: request.path,
                clientID: client.id,
                reason: "Scopes are left out: \(names).",
                mend: lacksGrant
                    ? "Add refresh_token to the client's grant_types."
                    : unknown.isEmpty
                        ? "Add them to the client's scope."
                        : "Add them to the configuration's scopes and to the client's scope."
            ),
            of: request
        )
    }

    /// The setting under which a refused request is served; `nil` where there is none.
    func hint(for refusal: Refusal, of request: ProviderRequest) -> String? {
        let note = refusal.note
        guard let name = note.rule?.lenientRules else { return nil }
        guard (note.clientID ?? namedClient(in: request)).flatMap(ownRules(of:)) != nil else {
            return "--rules \(name) accepts it."
        }
        return "The client has rules of its own; with rules \(name) there it is accepted."
    }

    /// Reports a refusal with its reason.
    ///
    /// - Parameters:
    ///   - refusal: The refusal.
    ///   - hint: The setting under which the request is served; `nil` for none.
    ///   - request: The request.
    ///   - response: The response to it.
    func reportRefusal(
        _ refusal: Refusal,
        hint: String?,
        of request: ProviderRequest,
        _ response: ProviderResponse
    ) {
        let note = refusal.note
        let (error, sentence) = refusal.words
        let reason = note.reason ?? sentence
        let clientID = note.clientID ?? namedClient(in: request)
        let mends = [note.mend ?? note.rule?.change, hint].compactMap(\.self)
        if let clientID, routes.route(at: request.path) == .pushedAuthorization {
            refusedPushes.note(reason, of: clientID, at: now)
        }
        send(
            ProviderEvent(
                .refused,
                path: request.path,
                clientID: clientID,
                status: response.status.code,
                error: error,
                reason: reason,
                rule: note.rule,
                mend: mends.isEmpty ? nil : mends.joined(separator: " ")
            ),
            of: request
        )
    }

    /// The refreshing of a client's refresh token, by the rules where they say so and else by the manners.
    ///
    /// One of a public client that is not bound to a key is always replaced (RFC 9700 section 2.2.2).
    func refreshTokens(of client: RegisteredClient, isBound: Bool) -> ProviderManners.RefreshTokens {
        guard rules(for: client).refreshTokens == .kept, manners.refreshTokens == .once(grace: nil),
            isBound || client.isConfidential
        else { return manners.refreshTokens }
        return .repeated
    }

    /// The client that a request names, of which nothing is proved.
    func namedClient(in request: ProviderRequest) -> String? {
        let parameters = request.method == .post ? request.formParameters : request.queryParameters
        if let id = parameters?[.clientID], !id.isEmpty { return id }
        if let form = parameters, let (id, _) = ClientAssertion.named(in: form) { return id }
        return (try? ClientCredentials(request, parameters ?? Parameters()))?.id
    }
}

extension Refusal {
    /// The error code and the sentence of the response.
    var words: (error: String?, sentence: String) {
        switch self {
        case .page(let sentence, _): return (nil, sentence)
        case .redirect(let error, _), .json(let error, _, _):
            return (error.code.rawValue, error.description ?? "The response says no more.")
        case .challenge(let challenge, _):
            let found = AuthenticateChallenge.list(in: [.wwwAuthenticate: challenge]).first?.error
            return (found?.code.rawValue, found?.description ?? "The request has no valid credentials.")
        case .with(_, let refusal), .noted(_, let refusal): return refusal.words
        }
    }

    /// The same refusal; its sentence ends in the setting under which the request is served.
    func hinting(at hint: String) -> Refusal {
        func hinted(_ sentence: String?) -> String { "\(sentence ?? "") \(hint)" }
        func hinted(_ error: OAuthError) -> OAuthError {
            OAuthError(code: error.code, description: hinted(error.description))
        }
        return switch self {
        case .page(let sentence, let status): .page(hinted(sentence), status)
        case .redirect(let error, let address): .redirect(hinted(error), address)
        case .json(let error, let status, let challenge): .json(hinted(error), status, challenge: challenge)
        case .challenge: self
        case .with(let fields, let refusal): .with(fields, refusal.hinting(at: hint))
        case .noted(let note, let refusal): .noted(note, refusal.hinting(at: hint))
        }
    }
}

extension String {
    /// The text for a log, since it may be outside data: in printable ASCII, and of a long one the first 64 characters.
    var logged: String {
        let text = String(unicodeScalars.prefix(257)).printable
        return text.utf8.count <= 256 ? text : String(unicodeScalars.prefix(64)).printable + "..."
    }

    /// The text in printable ASCII: any other character is escaped, so that none moves the cursor or begins a line.
    var printable: String {
        unicodeScalars.map { scalar in
            (0x20...0x7e).contains(scalar.value) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        .joined()
    }
}

extension [String] {
    /// The texts for a log: at most ten.
    var logged: String {
        let names = prefix(10).map(\.logged).joined(separator: ", ")
        return count > 10 ? "\(names) and \(count - 10) more" : names
    }
}
