import HTTPTypes
import OstiaryCompatibility
import OstiaryOAuth

extension Provider {
    /// The provider that plays the scenario which a request chooses, or whose turn it is; `nil` for this provider.
    func player(of request: ProviderRequest) async -> Provider? {
        guard !isOfAdministration(request) else { return nil }
        let turn = scenarioTurn(of: request)
        return await chosenPlayer(of: request) ?? turn.map(playing)
    }

    /// The scenario whose turn a request is; `nil` for none.
    ///
    /// Every request with a method of the endpoint counts, but HEAD: a server has the length from GET, which counts.
    private func scenarioTurn(of request: ProviderRequest) -> Scenario? {
        guard request.method != .head, let route = routes.route(at: request.path),
            route.methods.contains(request.method)
        else { return nil }
        return schedule.withLock { $0.next(at: route) }
    }

    private func chosenPlayer(of request: ProviderRequest) async -> Provider? {
        guard configuration.scenarioChoice == .byRequest else { return nil }
        if let name = request.fields[.scenario] { return Scenario.named(name).map(playing) }
        guard let id = try? await chooser(of: request) else { return nil }
        return chosenScenario(id).map(playing)
    }

    /// The client that a request is from: by its parameters, its page or its access token.
    func chooser(of request: ProviderRequest) async throws -> String? {
        if let id = namedClient(in: request) { return id }
        let parameters = request.method == .post ? request.formParameters : request.queryParameters
        if let id = parameters?[Parameters.Name(rawValue: PageInput.interaction)],
            let record = try await storage.record(.interaction, SecretDigest(id).text)
        {
            return Interaction(record)?.parameters[.clientID]
        }
        guard let token = request.fields[.authorization].flatMap({ PresentedToken($0) }) else { return nil }
        return try await storage.record(.accessToken, SecretDigest(token.text).text).flatMap(IssuedToken.init)?.clientID
    }

    /// The scenario that a client identifier ends with; `nil` for a registered identifier.
    private func chosenScenario(_ id: String) -> Scenario? {
        guard configuration.client(id) == nil, let plus = id.lastIndex(of: "~") else { return nil }
        return Scenario.named(String(id[id.index(after: plus)...]))
    }

    /// The configured client that an identifier with a scenario stands for, under that identifier; `nil` for any other.
    func clientWithScenario(_ id: String) -> RegisteredClient? {
        let own = idWithoutScenario(id)
        guard own != id, var client = configuration.client(own) else { return nil }
        client.id = id
        return client
    }

    /// The client identifier before a scenario; the identifier itself without one.
    func idWithoutScenario(_ id: String) -> String {
        guard configuration.scenarioChoice == .byRequest, chosenScenario(id) != nil, let end = id.lastIndex(of: "~")
        else { return id }
        return String(id[..<end])
    }
}

extension HTTPField.Name {
    /// The field that names the scenario of one request.
    static let scenario = Self("Ostiary-Scenario") ?? .origin
}
