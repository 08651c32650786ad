public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The values that the vendor's documents fix.
public enum LogiPreset {
    /// `https://api.1pass.dev`.
    public static let issuer = "https://api.1pass.dev"
    /// The host that the provider's own app claims: `open.1pass.dev`.
    ///
    /// The issuer's own host is never claimed; otherwise the page in the browser would be pulled into the app.
    public static let nativeAuthorizeHost = "open.1pass.dev"
    /// The scheme of the provider's own app, for `LSApplicationQueriesSchemes`, beside `https`.
    public static let appScheme = "onepass"
    /// `openid profile:basic email`.
    public static let scopes: [Scope] = [.openID, .profileBasic, .email]
    /// The accepted clock skew for an ID token.
    public static let clockTolerance = Duration.seconds(60)
    /// The minimum remaining validity of a returned access token.
    public static let expiryLeeway = Duration.seconds(60)
    /// The vendor's diagnostics page, for users.
    public static let diagnosticsPage = URL(string: "https://api.1pass.dev/diagnose")
    /// The console for registering apps.
    public static let developerConsole = URL(string: "https://start.1pass.dev")

    /// The vendor's paths below an issuer, for one that publishes no metadata.
    static let paths: [(member: String, path: String)] = [
        ("authorization_endpoint", "/oauth/authorize"), ("token_endpoint", "/oauth/token"),
        ("userinfo_endpoint", "/oauth/userinfo"), ("revocation_endpoint", "/oauth/revoke"),
        ("device_authorization_endpoint", "/oauth/device_authorization"), ("jwks_uri", "/.well-known/jwks.json"),
    ]

    /// A URL below the issuer; a path of the issuer's own stays in front.
    static func url(_ path: String, below issuer: Issuer) -> URL? {
        let text = issuer.description
        return URL(string: (text.hasSuffix("/") ? String(text.dropLast()) : text) + path)
    }

    /// The metadata that an issuer would publish that has the vendor's paths.
    static func metadata(of issuer: Issuer, tokenIssuer: Issuer) -> JSONObject {
        var metadata: JSONObject = ["issuer": .string(tokenIssuer.description)]
        for (member, path) in paths {
            metadata[member] = url(path, below: issuer).map { .string($0.absoluteString) }
        }
        metadata["code_challenge_methods_supported"] = ["S256"]
        metadata["id_token_signing_alg_values_supported"] = ["RS256"]
        return metadata
    }

    /// A server at the vendor's paths, for an issuer whose tokens name another one.
    static func server(at issuer: Issuer, tokenIssuer: Issuer) -> AuthorizationServer {
        var server = AuthorizationServer(
            issuer: tokenIssuer,
            authorizationEndpoint: url("/oauth/authorize", below: issuer),
            tokenEndpoint: url("/oauth/token", below: issuer),
            jwksURI: url("/.well-known/jwks.json", below: issuer),
            userInfoEndpoint: url("/oauth/userinfo", below: issuer),
            revocationEndpoint: url("/oauth/revoke", below: issuer)
        )
        server.deviceAuthorizationEndpoint = url("/oauth/device_authorization", below: issuer)
        server.idTokenSigningAlgorithms = [.rs256]
        return server
    }
}

extension Scope {
    /// Name and picture; `profile` is another name of it.
    public static let profileBasic: Scope = "profile:basic"
    /// May change the account: disconnecting an app needs it.
    public static let profileWrite: Scope = "profile:write"
    /// The telephone number.
    public static let phone: Scope = "phone"
}
