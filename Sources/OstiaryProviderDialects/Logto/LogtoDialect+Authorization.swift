public import OstiaryOAuth
public import OstiaryProvider

extension LogtoDialect {
    /// Reads an authorization request as Logto does.
    ///
    /// Unknown scopes are left out, resources may be listed with commas, and `offline_access` needs `prompt=consent`.
    /// Users need not consent to the tenant's own apps.
    public func readAuthorization(_ parameters: inout Parameters, at provider: Provider) {
        let prompts = (parameters[.prompt] ?? "").split(separator: " ").map(String.init)
        if let scope = parameters[.scope] {
            let known = provider.configuration.scopes.map(\.scope)
            let scopes = Scope.list(scope).filter {
                known.contains($0) && ($0 != .offlineAccess || prompts.contains("consent"))
            }
            parameters[.scope] = scopes.text
        }
        let isOwn = parameters[.clientID].map { thirdPartyApps[$0] == nil } ?? false
        if isOwn {
            let rest = prompts.filter { $0 != "consent" }
            parameters[.prompt] = rest.isEmpty ? nil : rest.joined(separator: " ")
        }
        let resources = parameters.values(of: .resource)
        parameters[.resource] = nil
        for resource in resources.flatMap({ $0.split(separator: ",") })
        where !resource.utf8.elementsEqual(Self.organizationsResource.utf8) {
            parameters.append(String(resource), for: .resource)
        }
    }

    /// Rejects invalid values of Logto's own parameters, so that a developer sees the mistake.
    public func refusal(of parameters: Parameters, from client: RegisteredClient) -> OAuthError? {
        Self.ownParameters.first { !$0.accepts(parameters) }.map {
            OAuthError(code: .invalidRequest, description: "The \($0.name.rawValue) has an unknown value.")
        }
    }

    /// The reserved resource for organization tokens, which is never an audience.
    private static let organizationsResource = "urn:logto:resource:organizations"

    private struct OwnParameter {
        let name: Parameters.Name
        let isGood: @Sendable (String) -> Bool

        func accepts(_ parameters: Parameters) -> Bool { parameters.values(of: name).allSatisfy(isGood) }
    }

    private static let ownParameters: [OwnParameter] = [
        OwnParameter(name: "first_screen") {
            [
                "sign_in", "register", "reset_password", "single_sign_on", "identifier:sign_in", "identifier:register",
                "signIn",
            ].contains($0)
        },
        OwnParameter(name: "identifier") {
            $0.split(separator: " ").allSatisfy { ["email", "phone", "username"].contains($0) }
        },
        OwnParameter(name: "direct_sign_in") { value in
            ["social:", "sso:"].contains { value.hasPrefix($0) && value.utf8.count > $0.utf8.count }
        },
        OwnParameter(name: "interaction_mode") { ["signIn", "signUp"].contains($0) },
        OwnParameter(name: "theme") { ["light", "dark"].contains($0) },
    ]
}
