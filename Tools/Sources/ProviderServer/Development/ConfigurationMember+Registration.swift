import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

extension ConfigurationMember {
    /// Reads the policy for registering clients.
    func registration() throws(ProviderConfigurationError) -> RegistrationPolicy {
        let object = try object(of: [
            "access", "initial_access_tokens", "software_statement_issuers", "client_secret_lifetime", "rotate",
            "loopback_uris",
        ])
        let tokens = object["initial_access_tokens"]
        var policy = RegistrationPolicy(
            try object.required("access").registrationAccess(tokens),
            trustedSoftwareStatementIssuers: try object["software_statement_issuers"]?.keySets() ?? [:],
            secretLifetime: try object["client_secret_lifetime"].map { member throws(ProviderConfigurationError) in
                .seconds(try member.integer(in: 1...Self.tenYears))
            },
            rotation: try object["rotate"]?.rotation() ?? []
        )
        if try object["loopback_uris"]?.bool() ?? false { policy.reach = .publicHostsAndLoopback }
        return policy
    }

    private func registrationAccess(
        _ tokens: ConfigurationMember?
    ) throws(ProviderConfigurationError) -> RegistrationPolicy.Access {
        let name = try string()
        guard name == "initial_access_token" else {
            if let tokens { throw tokens.wrong("These are for the access initial_access_token.") }
            switch name {
            case "closed": return .closed
            case "open": return .open
            case "software_statement": return .withSoftwareStatement
            default: throw wrong("This has to be closed, open, initial_access_token or software_statement.")
            }
        }
        guard let tokens, case let secrets = try tokens.strings(), !secrets.isEmpty else {
            throw wrong("List the accepted tokens under initial_access_tokens.")
        }
        return .withInitialAccessToken(secrets.map { SecretDigest(of: Secret($0)) })
    }

    private func keySets() throws(ProviderConfigurationError) -> [String: JSONWebKeySet] {
        var sets: [String: JSONWebKeySet] = [:]
        for (issuer, value) in try object().members {
            let member = ConfigurationMember(path: "\(path).\(issuer)", value: value)
            guard let set = try? JSONWebKeySet(parsing: try member.object().encoded()), !set.keys.isEmpty else {
                throw member.wrong("This has to be a JSON Web Key Set with public keys to check signatures with.")
            }
            sets[issuer] = set
        }
        return sets
    }

    private func rotation() throws(ProviderConfigurationError) -> RegistrationPolicy.Rotation {
        var rotation: RegistrationPolicy.Rotation = []
        for element in try elements() {
            guard let one = Self.rotations[try element.string()] else {
                throw element.wrong("This has to be one of \(Self.rotations.keys.sorted().joined(separator: ", ")).")
            }
            rotation.insert(one)
        }
        return rotation
    }

    private static let rotations: [String: RegistrationPolicy.Rotation] = [
        "access_token_on_read": .accessTokenOnRead,
        "access_token_on_update": .accessTokenOnUpdate,
        "secret_on_read": .secretOnRead,
        "secret_on_update": .secretOnUpdate,
    ]

    /// In seconds.
    private static let tenYears = 315_360_000
}
