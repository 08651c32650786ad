public import OstiaryJOSE

/// What a client says of itself when it registers, and what the server made of it (RFC 7591 section 2).
public struct ClientMetadata: Sendable, Hashable {
    /// Every member; those without a property here, too.
    public var members: JSONObject

    /// Takes members as they are, such as those of a file.
    public init(_ members: JSONObject) { self.members = members }

    /// Describes a client that signs people in.
    ///
    /// - Parameters:
    ///   - name: What the person is shown.
    ///   - redirectURIs: Where answers may go.
    ///   - postLogoutRedirectURIs: Where a person may be sent after signing out.
    ///   - scopes: What it will ask for; empty leaves it to the server.
    ///   - grantTypes: What it will trade.
    ///   - authenticationMethod: How it will prove who it is, such as `none` or `client_secret_basic`.
    ///   - keys: The public keys of a client that signs assertions (`jwks`).
    ///   - softwareStatement: What somebody that the server trusts says of the software (RFC 7591 section 2.3).
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

    /// How the client proves who it is; `client_secret_basic` when nothing is said (RFC 7591 section 2).
    ///
    /// Some servers answer with a list of one.
    public var authenticationMethod: String {
        switch members["token_endpoint_auth_method"] {
        case .string(let method): method
        case .array(let methods): methods.first?.string ?? "client_secret_basic"
        default: "client_secret_basic"
        }
    }

    /// Where answers may go.
    public var redirectURIs: [String] { members["redirect_uris"]?.array?.compactMap(\.string) ?? [] }

    /// The members as they are sent, with `application_type`.
    ///
    /// A server takes a client that does not say for `web` (OpenID Connect Registration section 2), and refuses redirect
    /// URIs on this machine or with a scheme of the app's own. Those are of native clients.
    var sent: JSONObject {
        let uris = redirectURIs.compactMap { try? RedirectURI($0) }
        guard members["application_type"] == nil, uris.contains(where: \.isNative) else { return members }
        var members = members
        members["application_type"] = "native"
        return members
    }

    /// What is no longer metadata once it is registered, and must not be sent back (RFC 7592 section 2.2).
    static let issued = [
        "client_id", "client_secret", "client_id_issued_at", "client_secret_expires_at", "registration_access_token",
        "registration_client_uri",
    ]
}

extension ClientMetadata: CustomStringConvertible, CustomReflectable {
    /// The names of the members; a software statement is nobody's business.
    public var description: String { "ClientMetadata(\(members.names.joined(separator: ", ")))" }
    /// The names of the members.
    public var customMirror: Mirror { Mirror(self, children: ["members": members.names]) }
}
