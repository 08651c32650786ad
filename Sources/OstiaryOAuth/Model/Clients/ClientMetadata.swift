public import OstiaryJOSE

/// A client's metadata, in a registration request or as the server registered it (RFC 7591 section 2).
public struct ClientMetadata: Sendable, Hashable {
    /// Every member, including those without a property here.
    public var members: JSONObject

    /// Takes members without a check, such as those of a file.
    public init(_ members: JSONObject) { self.members = members }

    /// Describes a client that signs users in.
    ///
    /// - Parameters:
    ///   - name: The name that the user sees.
    ///   - redirectURIs: The URIs to which responses may be sent.
    ///   - postLogoutRedirectURIs: The URIs to which the user may be sent after signing out.
    ///   - scopes: The scopes that it will request; empty leaves them to the server.
    ///   - grantTypes: The grant types that it will use.
    ///   - authenticationMethod: Its authentication method, such as `none` or `client_secret_basic`.
    ///   - keys: The public keys of a client that signs assertions (`jwks`).
    ///   - softwareStatement: A statement about the software by a party that the server trusts (RFC 7591 section 2.3).
    public init(
        name: String,
        redirectURIs: [RedirectURI],
        postLogoutRedirectURIs: [RedirectURI] = [],
        scopes: [Scope] = [],
        grantTypes: [String] = ["authorization_code", "refresh_token"],
        authenticationMethod: String = "none",
        keys: [JSONWebKey] = [],
        softwareStatement: Secret? = nil
    ) {
        func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        var members: JSONObject = [
            "client_name": .string(name),
            "redirect_uris": strings(redirectURIs.map(\.description)),
            "grant_types": strings(grantTypes),
            "token_endpoint_auth_method": .string(authenticationMethod),
        ]
        if grantTypes.contains("authorization_code") { members["response_types"] = ["code"] }
        if !postLogoutRedirectURIs.isEmpty {
            members["post_logout_redirect_uris"] = strings(postLogoutRedirectURIs.map(\.description))
        }
        if !scopes.isEmpty { members["scope"] = .string(scopes.text) }
        if !keys.isEmpty {
            members["jwks"] = .object(["keys": .array(keys.map { .object($0.jsonObject) })])
        }
        members["software_statement"] = softwareStatement.map { .string($0.reveal()) }
        self.members = members
    }

    /// The client's authentication method; `client_secret_basic` when the metadata has none (RFC 7591 section 2).
    ///
    /// Some servers return a list of one.
    public var authenticationMethod: String {
        switch members["token_endpoint_auth_method"] {
        case .string(let method): method
        case .array(let methods): methods.first?.string ?? "client_secret_basic"
        default: "client_secret_basic"
        }
    }

    /// The URIs to which responses may be sent.
    public var redirectURIs: [String] { members["redirect_uris"]?.array?.compactMap(\.string) ?? [] }

    /// The members to send, with `application_type`.
    ///
    /// A server assumes `web` when the member is missing (OpenID Connect Registration section 2), and then rejects
    /// redirect URIs with a loopback host or a private-use scheme. Those are of native clients.
    var sent: JSONObject {
        let uris = redirectURIs.compactMap { try? RedirectURI($0) }
        guard members["application_type"] == nil, uris.contains(where: \.isNative) else { return members }
        var members = members
        members["application_type"] = "native"
        return members
    }

    /// The members that the server issues, which must not be sent back (RFC 7592 section 2.2).
    static let issued = [
        "client_id", "client_secret", "client_id_issued_at", "client_secret_expires_at", "registration_access_token",
        "registration_client_uri",
    ]
}

extension ClientMetadata: CustomStringConvertible, CustomReflectable {
    /// The names of the members; a software statement may be confidential.
    public var description: String { "ClientMetadata(\(members.names.joined(separator: ", ")))" }
    /// The names of the members.
    public var customMirror: Mirror { Mirror(self, children: ["members": members.names]) }
}
