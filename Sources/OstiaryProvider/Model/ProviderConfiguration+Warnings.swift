import OstiaryOAuth

extension ProviderConfiguration {
    /// The settings that have less effect than they seem to, each with its mend; empty for none.
    ///
    /// A server prints them when it starts.
    public var warnings: [String] {
        let known = scopes.map(\.scope)
        func unknown(_ scopes: [Scope]) -> String? {
            let names = scopes.filter { !known.contains($0) }
            return names.isEmpty ? nil : names.text
        }
        let ofClients = clients.compactMap { client in
            unknown(client.allowedScopes).map {
                "The client \(client.id) has unknown scopes: \($0). Add them to scopes, or take them from the client."
            }
        }
        let ofResources = resources.compactMap { resource in
            unknown(resource.scopes ?? []).map {
                "The resource \(resource.identifier) has unknown scopes: \($0). Add them to scopes."
            }
        }
        let unused = additionalScopes.map(\.scope).filter { scope in
            !clients.contains { $0.allowedScopes.contains(scope) }
        }
        let ofScopes =
            unused.isEmpty || registration.access != .closed
            ? [] : ["No client has the scopes \(unused.text): requests for them are served without them."]
        let ofAllowances = clients.filter { !$0.allowedRules.isEmpty }.map { client in
            let names = client.allowedRules.map(\.rawValue).sorted().joined(separator: ", ")
            return
                "Requests of the client \(client.id) may break the rules \(names). Mend the client, and take them from allow."
        }
        let ofPasskeys =
            passkeys == .none || relyingParty != nil
            ? [] : ["Passkeys need an issuer with a host name, such as http://localhost:4455, and it is \(issuer)."]
        return ofClients + ofResources + ofScopes + ofAllowances + ofPasskeys
    }
}
