import HTTPTypes
import OstiaryOAuth

/// An endpoint or page of the provider.
///
/// The raw value is the path below the issuer, unless the provider's dialect has another.
public enum Route: String, CaseIterable, Sendable {
    /// The metadata of OpenID Connect Discovery section 4.
    case openIDConfiguration = "/.well-known/openid-configuration"
    /// The metadata of RFC 8414 section 3.
    case authorizationServer = "/.well-known/oauth-authorization-server"
    /// The issuer of a user (RFC 7033); at the root of the origin, whatever the issuer's path.
    case webFinger = "/.well-known/webfinger"
    /// The key set (RFC 7517 section 5).
    case keySet = "/jwks"
    /// The authorization endpoint (RFC 6749 section 3.1).
    case authorization = "/authorize"
    /// The target of the sign-in form.
    case login = "/login"
    /// The target of the account chooser's form.
    case accounts = "/accounts"
    /// The page for a one-time password.
    case oneTimePassword = "/one-time-password"
    /// The consent page.
    case consent = "/consent"
    /// The pushed authorization request endpoint (RFC 9126 section 2).
    case pushedAuthorization = "/par"
    /// The token endpoint (RFC 6749 section 3.2).
    case token = "/token"
    /// The user info endpoint (OpenID Connect Core section 5.3).
    case userInfo = "/userinfo"
    /// The revocation endpoint (RFC 7009 section 2).
    case revocation = "/revoke"
    /// The introspection endpoint (RFC 7662 section 2).
    case introspection = "/introspect"
    /// The device authorization endpoint (RFC 8628 section 3.1).
    case deviceAuthorization = "/device_authorization"
    /// The page on which the user enters a device's code.
    case device = "/device"
    /// The target of the sign-in form for a device.
    case deviceLogin = "/device/login"
    /// The target of the account chooser's form while a device waits.
    case deviceAccounts = "/device/accounts"
    /// The page for a one-time password while a device waits.
    case deviceOneTimePassword = "/device/one-time-password"
    /// The consent page for a device.
    case deviceConsent = "/device/consent"
    /// The registration endpoint (RFC 7591 section 3).
    case registration = "/register"
    /// The challenge for an attested client's first proof (draft-ietf-oauth-attestation-based-client-auth-10).
    case attestationChallenge = "/challenge"
    /// The management of a registered client (RFC 7592 section 2); a client identifier follows.
    case registeredClient = "/register/"
    /// The end-session endpoint (OpenID Connect RP-Initiated Logout section 2).
    case endSession = "/end-session"
    /// The target of the sign-out form.
    case signOut = "/sign-out"
    /// The page for a user's passkeys.
    case account = "/account"

    /// The name: the path below the issuer without the first slash, such as `token`.
    public var name: String { String(rawValue.dropFirst()) }

    /// The endpoint with a name; `nil` for none.
    public init?(name: String) { self.init(rawValue: "/" + name) }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .openIDConfiguration, .authorizationServer, .webFinger, .keySet: [.get, .head]
        // HEAD is left out on purpose: a request for the header of a code would use up the user's consent.
        case .authorization, .consent, .userInfo, .endSession, .device, .deviceConsent, .oneTimePassword,
            .deviceOneTimePassword, .account:
            [.get, .post]
        case .login, .pushedAuthorization, .token, .revocation, .signOut, .introspection, .deviceAuthorization,
            .deviceLogin, .registration, .attestationChallenge, .accounts, .deviceAccounts:
            [.post]
        case .registeredClient: [.get, .put, .delete]
        }
    }

    /// Whether the user sees the response.
    var isForPeople: Bool {
        switch self {
        case .authorization, .login, .consent, .endSession, .signOut, .device, .deviceLogin, .deviceConsent,
            .oneTimePassword, .deviceOneTimePassword, .accounts, .deviceAccounts, .account:
            true
        case .openIDConfiguration, .authorizationServer, .webFinger, .keySet, .pushedAuthorization, .token, .userInfo,
            .revocation,
            .introspection, .deviceAuthorization, .registration, .registeredClient, .attestationChallenge:
            false
        }
    }

    fileprivate var isWellKnown: Bool { self == .openIDConfiguration || self == .authorizationServer }
}

/// The URLs of the provider's endpoints below its issuer.
struct Routes: Sendable {
    private let base: String
    private let metadataBase: String
    private let paths: [Route: String]
    private let byPath: [String: Route]
    private let clientPrefix: String
    /// The path of the administration, with a slash at its end.
    let administrationPrefix: String

    init(_ configuration: ProviderConfiguration, without absent: Set<Route> = []) {
        let dialect = configuration.dialect
        let absent = configuration.relyingParty == nil ? absent.union([.account]) : absent
        let text = configuration.issuer.description
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        let issuerPath = String(URIParts(base)?.path ?? "")
        let isBelowOrigin = dialect.root == .origin
        let path = isBelowOrigin ? "" : issuerPath
        var byPath: [String: Route] = [:]
        var paths: [Route: String] = [:]
        for route in Route.allCases {
            paths[route] = absent.contains(route) ? "" : dialect.path(of: route) ?? route.rawValue
        }
        for (route, place) in paths where route != .registeredClient && !place.isEmpty {
            let root = route == .webFinger ? "" : route.isWellKnown ? issuerPath : path
            byPath[root + place] = route
            // RFC 8414 section 3.1 puts the issuer's path behind the well-known one, OpenID Connect Discovery
            // section 4.1 before it; clients try both.
            if route.isWellKnown { byPath[place + issuerPath] = route }
        }
        metadataBase = base
        self.base = isBelowOrigin ? String(base.dropLast(issuerPath.count)) : base
        self.paths = paths
        self.byPath = byPath
        let registration = absent.contains(.registration) ? "" : paths[.registeredClient]
        administrationPrefix = issuerPath + "/admin/"
        clientPrefix = path + (registration ?? Route.registeredClient.rawValue)
    }

    func url(_ route: Route) -> String {
        (route.isWellKnown ? metadataBase : base) + (paths[route] ?? route.rawValue)
    }
    /// The URL of the inspector, which a server serves.
    var inspectorURL: String { metadataBase + "/inspector" }
    /// The path below the issuer.
    func path(_ route: Route) -> String { paths[route] ?? route.rawValue }
    func has(_ route: Route) -> Bool { paths[route] != "" }

    /// Whether a path is that of the issuer itself, with or without a slash at its end.
    func isRoot(_ path: String) -> Bool {
        let root = String(URIParts(metadataBase)?.path ?? "")
        return path == root || path == root + "/"
    }

    func route(at path: String) -> Route? {
        byPath[path] ?? (clientID(at: path) == nil ? nil : .registeredClient)
    }

    /// The URL for managing a registered client (RFC 7592 section 3).
    func url(ofClient id: String) -> String { url(.registeredClient) + FormURLEncoding.escape(id) }

    /// The client that a path manages; `nil` for any other path.
    func clientID(at path: String) -> String? {
        guard path.utf8.starts(with: clientPrefix.utf8) else { return nil }
        let rest = path[path.utf8.index(path.startIndex, offsetBy: clientPrefix.utf8.count)...]
        // In a path a plus is a plus.
        guard !rest.isEmpty, !rest.contains("/"), !rest.contains("+") else { return nil }
        return FormURLEncoding.unescape(rest)
    }
}
