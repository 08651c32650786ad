import HTTPTypes
import OstiaryOAuth

extension Route {
    /// Whether a page of an app in a browser sends requests here itself.
    fileprivate var isForPages: Bool {
        switch self {
        case .token, .userInfo, .revocation, .pushedAuthorization, .deviceAuthorization, .registration,
            .registeredClient:
            true
        default: false
        }
    }
}

extension Provider {
    /// Responds to a browser's preflight request; `nil` for any other request.
    ///
    /// (Fetch standard, "CORS-preflight request"; OpenID Connect Core section 5.3.1)
    func preflight(_ request: ProviderRequest, at route: Route) async throws -> ProviderResponse? {
        guard request.method == .options, request.fields[.accessControlRequestMethod] != nil,
            try await mayRead(request, at: route)
        else { return nil }
        return ProviderResponse(
            status: .noContent,
            fields: [
                .accessControlAllowMethods: route.methods.map(\.rawValue).joined(separator: ", "),
                .accessControlAllowHeaders: "Authorization, Content-Type, DPoP",
                .accessControlMaxAge: "600",
                .cacheControl: "no-store",
            ]
        )
    }

    /// Lets the page that sent a request read the response, if its origin is that of a public client.
    func allowOrigin(_ response: inout ProviderResponse, to request: ProviderRequest) async {
        guard let origin = request.fields[.origin], let route = routes.route(at: request.path), route.isForPages else {
            return
        }
        response.fields.append(HTTPField(name: .vary, value: "Origin"))
        guard (try? await mayRead(request, at: route)) == true else { return }
        response.fields[.accessControlAllowOrigin] = origin
        response.fields[.accessControlExposeHeaders] = "DPoP-Nonce, WWW-Authenticate"
    }

    /// Whether the page that sends a request may read the response.
    ///
    /// A page that registers its client belongs to no client yet; where registration is open it may be of any origin.
    private func mayRead(_ request: ProviderRequest, at route: Route) async throws -> Bool {
        guard manners.crossOrigin == .documents, route.isForPages, let text = request.fields[.origin],
            let origin = URIParts(text), origin.path.isEmpty, origin.query == nil,
            ["http", "https"].contains(origin.scheme)
        else { return false }
        if [.registration, .registeredClient].contains(route), configuration.registration.access == .open {
            return true
        }
        if configuration.clients.contains(where: { $0.isPage(at: origin) }) { return true }
        let registrations = try await storage.records(.registeredClient).compactMap(ClientRegistration.init)
        return registrations.contains { $0.client(at: now, reach: .publicHosts).isPage(at: origin) }
    }
}

extension RegisteredClient {
    /// Whether the client is public with a redirect URI at an origin; the port of a loopback address may differ.
    fileprivate func isPage(at origin: URIParts) -> Bool {
        guard !isConfidential else { return false }
        return redirectURIs.contains { uri in
            guard uri.parts.scheme == origin.scheme else { return false }
            if uri.parts.isSameOrigin(as: origin) { return true }
            let host = origin.authority?.host
            return uri.isLoopback && host != "localhost" && uri.parts.authority?.host == host
        }
    }
}

extension HTTPField.Name {
    static let accessControlRequestMethod = Self("Access-Control-Request-Method") ?? .origin
}
