public import Ostiary

/// The registration of an app (RFC 7591).
public struct CurityRegistration: Sendable {
    /// The metadata's source.
    enum Subject: Sendable {
        case template(String)
        case description(JSONObject)
    }

    let subject: Subject
    let access: CurityInitialAccess

    /// A registration with the app's own metadata: a non-templatized client.
    ///
    /// - Parameters:
    ///   - name: The app's name for the user.
    ///   - requiresConsent: Whether the user must consent. The consent page also keeps the browser open for long enough
    ///     to save a password.
    ///   - authenticationMethod: The app's authentication method, such as `client_secret_basic`; `nil` leaves it to the
    ///     server.
    ///   - access: The authorization to register. An open endpoint registers any client, including other developers'
    ///     programs.
    ///   - additional: Members of the server's own, such as `refresh_token_ttl`, with their JSON types; the server
    ///     stores unknown ones as the client's properties. Members that this type sets cannot be among them.
    /// - Returns: The registration.
    public static func describingItself(
        name: String? = nil,
        requiresConsent: Bool? = nil,
        authenticationMethod: String? = nil,
        access: CurityInitialAccess = .open,
        additional: JSONObject = [:]
    ) -> CurityRegistration {
        var members = additional
        members["client_name"] = name.map { .string($0) } ?? members["client_name"]
        members["requires_consent"] = requiresConsent.map { .bool($0) } ?? members["requires_consent"]
        members["token_endpoint_auth_method"] =
            authenticationMethod.map { .string($0) } ?? members["token_endpoint_auth_method"]
        return CurityRegistration(subject: .description(members), access: access)
    }

    /// The app is made after a template that the server has: a templatized client.
    ///
    /// - Parameters:
    ///   - template: The template's client identifier, sent as the only member, `software_id`.
    ///   - access: The authorization to register.
    /// - Returns: The registration.
    public static func template(_ template: String, access: CurityInitialAccess) -> CurityRegistration {
        CurityRegistration(subject: .template(template), access: access)
    }

    /// Returns the metadata of the registration request.
    ///
    /// - Throws: `configuration` at stage `registration` when an additional member is one that is set here.
    func metadata(for configuration: CurityConfiguration) throws(SignInError) -> ClientMetadata {
        guard case .description(let additional) = subject else {
            guard case .template(let id) = subject else { return ClientMetadata([:]) }
            return ClientMetadata(["software_id": .string(id)])
        }
        var members: JSONObject = [
            "redirect_uris": [.string(configuration.redirectURI.description)],
            "application_type": "native",
            // The server adds refresh_token, and does not accept it in a request.
            "grant_types": ["authorization_code"],
            "scope": .string(configuration.scopes.text),
        ]
        if let ending = configuration.postLogoutRedirectURI {
            members["post_logout_redirect_uris"] = [.string(ending.description)]
        }
        for (name, value) in additional.members {
            guard members[name] == nil, !Self.refused.contains(name) else {
                throw SignInError(
                    .registration,
                    .configuration("\(name) follows from the configuration and cannot be an additional member.")
                )
            }
            members[name] = value
        }
        return ClientMetadata(members)
    }

    private static let refused: Set<String> = [
        "post_logout_redirect_uris", "software_id", "client_id", "client_secret", "client_secret_expires_at",
        "client_id_issued_at", "registration_access_token", "registration_client_uri",
    ]
}
