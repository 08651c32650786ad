import Foundation
import OstiaryOAuth
public import OstiaryServer

/// A route that requires an access token and returns its subject and scopes.
public struct ResourceSettings: Sendable {
    /// The path of the route.
    public let path: String
    /// The requirements of access tokens.
    public let policy: AccessTokenPolicy
    /// The URL of the issuer's key set; `nil` to read it from the issuer's metadata.
    public let keysURL: String?
    /// The introspection of opaque tokens at the issuer; `nil` rejects them.
    let introspection: IntrospectionSettings?

    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(
            of: "path",
            "issuer",
            "jwks_uri",
            "audience",
            "tokens",
            "without_audience",
            "scopes",
            "acr_values",
            "max_age",
            "binding",
            "introspection"
        )
        path = try object.required("path").route()
        keysURL = try object["jwks_uri"].map { setting throws(BackendConfigurationError) in try setting.secureURL() }
        introspection = try object["introspection"].map { setting throws(BackendConfigurationError) in
            try IntrospectionSettings(setting)
        }
        let issuer = try object.required("issuer").reading { text throws(SignInError) in try Issuer(text) }
        let (audiences, absent) = try Self.audiences(object)
        let scopes = try object["scopes"]?.texts() ?? []
        let contexts = try object["acr_values"]?.texts() ?? []
        let age = try object["max_age"]?.age()
        let binding = try object["binding"]?.choice(TokenBinding.self) ?? .bearer
        let profile =
            try object["tokens"]?.reading { name throws(SignInError) in
                try AccessTokenProfile.named(name, issuer: issuer)
            }
            ?? .rfc9068
        do throws(SignInError) {
            policy = try AccessTokenPolicy(
                issuers: [issuer],
                audiences: audiences,
                withoutAudience: absent,
                profile: profile,
                requiredScopes: scopes.map { Scope(rawValue: $0) },
                authenticationContexts: contexts,
                maximumAge: age,
                binding: binding
            )
        } catch {
            throw setting.wrong(error.sentence)
        }
    }

    /// The audiences, one string or an array of them, and the replacement for a token without an audience.
    private static func audiences(
        _ object: SettingObject
    ) throws(BackendConfigurationError) -> ([String], AbsentAudience) {
        let absent = try object["without_audience"].map { setting throws(BackendConfigurationError) in
            try AbsentAudience(setting)
        }
        guard let setting = object["audience"] else {
            // The policy says what is missing where nothing stands for an audience.
            guard let absent else { return ([try object.required("audience").text()], .refused) }
            return ([], absent)
        }
        let audiences = setting.value.array == nil ? [try setting.text()] : try setting.texts()
        return (audiences, absent ?? .refused)
    }
}

/// The introspection of an issuer's opaque tokens (RFC 7662).
struct IntrospectionSettings: Sendable {
    /// The client identifier of the service at the issuer.
    let clientID: String
    let credentials: ClientCredentials

    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(of: ClientSettings.members)
        clientID = try object.required("client_id").text()
        credentials = try ClientSettings.credentials(object)
    }
}

extension AbsentAudience {
    fileprivate init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(of: "clients", "scope")
        switch (object["clients"], object["scope"]) {
        case (let clients?, nil): self = .clients(Set(try clients.texts()))
        case (nil, let scope?): self = .scope(Scope(rawValue: try scope.text()))
        default: throw setting.wrong("Expected either clients, or a scope that the issuer grants for this API alone.")
        }
    }
}

extension Setting {
    /// An https URL, or an http one of this machine.
    fileprivate func secureURL() throws(BackendConfigurationError) -> String {
        let text = try text()
        // What stands before the query is of the same form as a name of this service.
        guard URL(string: text) != nil, !text.contains("#"),
            (try? ExternalOrigin(String(text.prefix { $0 != "?" }))) != nil
        else { throw wrong("Expected an https URL, such as https://id.example.com/jwks.") }
        return text
    }

    /// A path of this service.
    func route() throws(BackendConfigurationError) -> String {
        let text = try text()
        let isPath = text.hasPrefix("/") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPath, !text.contains(where: { "?#{}:*%".contains($0) }), !text.hasSuffix("/") else {
            throw wrong(
                "Expected a path such as /api/me, without a query, a pattern or a trailing slash; found \(found)."
            )
        }
        let isTaken =
            ["/health", "/ready", "/metrics"].contains(text)
            || text.hasPrefix("/.well-known/oauth-protected-resource")
        guard !isTaken else {
            throw wrong("The service itself serves \(text): choose another path.")
        }
        return text
    }
}
