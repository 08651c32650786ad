import HTTPTypes
import OstiaryOAuth

/// What lies at a path.
enum Route: String, CaseIterable, Sendable {
    case openIDConfiguration = "/.well-known/openid-configuration"
    case authorizationServer = "/.well-known/oauth-authorization-server"
    case keySet = "/jwks"
    case authorization = "/authorize"
    case login = "/login"
    case consent = "/consent"
    case pushedAuthorization = "/par"
    case token = "/token"
    case userInfo = "/userinfo"
    case revocation = "/revoke"
    case introspection = "/introspect"
    case deviceAuthorization = "/device_authorization"
    case device = "/device"
    case deviceLogin = "/device/login"
    case deviceConsent = "/device/consent"
    case registration = "/register"
    /// Followed by a client identifier.
    case registeredClient = "/register/"
    case endSession = "/end-session"
    case signOut = "/sign-out"

    var methods: [HTTPRequest.Method] {
        switch self {
        case .openIDConfiguration, .authorizationServer, .keySet: [.get, .head]
        // HEAD is left out on purpose: asking for the header of a code would use up the person's consent.
        case .authorization, .consent, .userInfo, .endSession, .device, .deviceConsent: [.get, .post]
        case .login, .pushedAuthorization, .token, .revocation, .signOut, .introspection, .deviceAuthorization,
            .deviceLogin, .registration:
            [.post]
        case .registeredClient: [.get, .put, .delete]
        }
    }

    /// Whether a person looks at the answer.
    var isForPeople: Bool {
        switch self {
        case .authorization, .login, .consent, .endSession, .signOut, .device, .deviceLogin, .deviceConsent: true
        case .openIDConfiguration, .authorizationServer, .keySet, .pushedAuthorization, .token, .userInfo, .revocation,
            .introspection, .deviceAuthorization, .registration, .registeredClient:
            false
        }
    }

    fileprivate var isWellKnown: Bool { self == .openIDConfiguration || self == .authorizationServer }
}

/// Where the provider's endpoints lie below its issuer.
struct Routes: Sendable {
    private let base: String
    private let byPath: [String: Route]
    private let clientPrefix: String

    init(_ issuer: Issuer) {
        let text = issuer.description
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        let path = String(URIParts(base)?.path ?? "")
        var byPath: [String: Route] = [:]
        for route in Route.allCases where route != .registeredClient {
            byPath[path + route.rawValue] = route
            // RFC 8414 section 3.1 puts the issuer's path behind the well-known one, OpenID Connect Discovery section 4.1
            // before it; clients try both.
            if route.isWellKnown { byPath[route.rawValue + path] = route }
        }
        self.base = base
        self.byPath = byPath
        clientPrefix = path + Route.registeredClient.rawValue
    }

    func url(_ route: Route) -> String { base + route.rawValue }
    func route(at path: String) -> Route? {
        byPath[path] ?? (clientID(at: path) == nil ? nil : .registeredClient)
    }

    /// Where a registered client is managed (RFC 7592 section 3).
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
