import OstiaryOAuth

extension Provider {
    /// The page at the issuer's URL.
    func frontPage() -> ProviderResponse {
        let page = FrontPage(
            frame: frame,
            issuer: configuration.issuer.description,
            metadataURL: routes.url(.openIDConfiguration),
            rules: rules.name,
            scenario: scenario.name == Scenario.none.name ? nil : scenario.name,
            clients: configuration.clients.map { client in
                FrontPage.Client(
                    id: client.id,
                    authenticationMethod: client.authenticationMethod.name,
                    redirectURIs: client.redirectURIs.map(\.description),
                    scope: client.allowedScopes.text
                )
            },
            users: users.map(\.name),
            resources: configuration.resources.map(\.identifier),
            isRegistrationOpen: configuration.registration.access == .open,
            accountURL: relyingParty == nil ? nil : routes.url(.account),
            command: "curl \(routes.url(.openIDConfiguration))",
            inspectorURL: inspectorURL
        )
        return .page(.front(page))
    }
}
