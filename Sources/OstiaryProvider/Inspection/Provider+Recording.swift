import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// Whether requests are recorded.
    var isRecording: Bool { configuration.administrationToken != nil || configuration.inspector == .present }

    /// Records a request and its response.
    ///
    /// A HEAD request that a server sends before GET for the length is not recorded.
    func record(
        _ request: ProviderRequest,
        from clientID: String?,
        playing scenario: Scenario,
        _ response: ProviderResponse
    ) async {
        guard request.method != .head || response.status == .methodNotAllowed else { return }
        let events = request.reports?.events ?? []
        let route = routes.route(at: request.path)
        let clientID = clientID ?? events.lazy.compactMap(\.clientID).first
        var exchange = RecordedExchange(
            time: now,
            method: request.method.rawValue.logged,
            path: request.path.logged,
            route: route,
            clientID: clientID?.logged,
            sender: .app,
            parameters: RecordedExchange.parameters(of: request),
            scenario: scenario.name == Scenario.none.name ? nil : scenario.name,
            status: response.status.code,
            events: events
        )
        guard configuration.inspector == .present else { return journal.append(exchange) }
        exchange.sender = await sender(at: route, clientID)
        exchange.authorization = request.fields[.authorization].flatMap { field in
            let scheme = field.prefix { $0 != " " }.lowercased()
            return ["Basic", "Bearer", "DPoP"].first { $0.lowercased() == scheme }
        }
        exchange.hasProof = request.fields[.dpop] != nil
        exchange.redirect = redirect(of: response)
        let members = response.members(at: route)
        exchange.response = RecordedExchange.redacted(response: members)
        var handles = FlowHandles(request, response, members: members)
        if let grant = await grant(behind: handles.issued + handles.presented) {
            exchange.userName = user(subject: grant.subject)?.name.logged
            handles.add(grant)
        }
        journal.append(exchange, handles)
    }

    /// Records an attempt to deliver a logout token, for the inspector alone.
    ///
    /// - Parameters:
    ///   - request: The request of the provider.
    ///   - pending: The logout token that it has.
    ///   - uri: The place that it is sent to.
    ///   - client: The client that receives it.
    ///   - outcome: The report of the attempt.
    func record(
        _ request: EndpointRequest,
        delivering pending: PendingLogout,
        at uri: ClientURI,
        of client: RegisteredClient,
        _ outcome: ProviderEvent
    ) {
        guard configuration.inspector == .present else { return }
        var exchange = RecordedExchange(
            time: now,
            method: request.method.rawValue,
            path: request.url.path().logged,
            route: nil,
            clientID: client.id.logged,
            userName: user(subject: pending.subject)?.name.logged,
            sender: .provider,
            parameters: RecordedExchange.parameters(sentWith: request),
            scenario: nil,
            status: outcome.status,
            events: [outcome]
        )
        exchange.receiver = client.isConfidential ? .backend : .app
        exchange.origin = uri.origin.logged
        journal.append(exchange, FlowHandles(ending: pending.session, of: client.id))
    }

    private func sender(at route: Route?, _ clientID: String?) async -> RecordedExchange.Party {
        guard let route, !route.isForPeople else { return .browser }
        if route == .introspection { return .resource }
        guard let clientID, let client = (try? await client(clientID)) ?? nil else { return .app }
        return client.isConfidential ? .backend : .app
    }

    private func redirect(of response: ProviderResponse) -> RecordedExchange.Redirect? {
        guard let location = response.fields[.location] else { return nil }
        let place = String(location.prefix { $0 != "?" && $0 != "#" })
        let isOwn = Route.allCases.contains { routes.url($0) == place }
        return RecordedExchange.Redirect(location: place.logged, isToClient: !isOwn)
    }

    /// The grant that has one of these codes or access tokens; `nil` for none.
    private func grant(behind handles: [String]) async -> IssuedGrant? {
        for handle in handles {
            let key = SecretDigest(handle).text
            for kind in [ProviderRecord.Kind.authorizationCode, .accessToken] {
                guard let record = try? await storage.record(kind, key), let family = record.family,
                    let grant = (try? await storage.record(.grant, family)).flatMap(IssuedGrant.init)
                else { continue }
                return grant
            }
        }
        return nil
    }
}

extension ProviderResponse {
    /// The parameters of a redirect or posted form, and the members of JSON from the endpoints that issue something.
    fileprivate func members(at route: Route?) -> [(name: String, value: JSONValue)] {
        if let location = fields[.location] {
            let query = location.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            let parameters = FormURLEncoding.decode(String(query.prefix { $0 != "#" }))
            return parameters?.pairs.map { ($0.name.rawValue, .string($0.value)) } ?? []
        }
        switch (content, route) {
        case (.page(.answer(let page)), _): return page.form.hiddenFields.map { ($0.name, .string($0.value)) }
        case (.bytes(let bytes), .token), (.bytes(let bytes), .pushedAuthorization),
            (.bytes(let bytes), .deviceAuthorization):
            return (try? JSONObject(parsing: bytes).members) ?? []
        case (.bytes(let bytes), _) where status.code >= 400: return (try? JSONObject(parsing: bytes).members) ?? []
        default: return []
        }
    }
}

/// Exchanges that the provider has recorded, and the first of all that it keeps.
public struct RecordedExchanges: Sendable {
    /// The number of the oldest exchange that is kept; the next number where none is.
    public var first: Int
    /// The exchanges, the oldest first.
    public var exchanges: [RecordedExchange]
}

extension Provider {
    /// The largest number of exchanges that the inspector keeps; their size is 32 MiB at most.
    public static let inspectorCapacity = 10_000

    /// The URL at which a server serves the inspector's page; `nil` where the configuration has no inspector.
    public var inspectorURL: String? { configuration.inspector == .present ? routes.inspectorURL : nil }

    /// Returns recorded exchanges.
    ///
    /// - Parameters:
    ///   - number: The number of the last exchange that the caller knows. Default: 0, for none.
    ///   - maximum: The largest number of exchanges to return, the oldest of them first. Default: all.
    /// - Returns: The exchanges; none where the configuration has no inspector.
    public func recordedExchanges(after number: Int = 0, maximum: Int = inspectorCapacity) -> RecordedExchanges {
        guard configuration.inspector == .present else { return RecordedExchanges(first: 1, exchanges: []) }
        return journal.exchanges(after: number, maximum: maximum)
    }

    /// A stream with an element whenever exchanges were recorded or forgotten since the last one, until its task ends.
    public func recordings() -> AsyncStream<Void> { journal.changes() }
}
