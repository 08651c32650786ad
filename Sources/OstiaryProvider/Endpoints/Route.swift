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
    case endSession = "/end-session"
    case signOut = "/sign-out"

    var methods: [HTTPRequest.Method] {
        switch self {
        case .openIDConfiguration, .authorizationServer, .keySet: [.get, .head]
        // HEAD is left out on purpose: asking for the header of a code would use up the person's consent.
        case .authorization, .consent, .userInfo, .endSession: [.get, .post]
        case .login, .pushedAuthorization, .token, .revocation, .signOut: [.post]
        }
    }

    /// Whether a person looks at the answer.
    var isForPeople: Bool {
        switch self {
        case .authorization, .login, .consent, .endSession, .signOut: true
        case .openIDConfiguration, .authorizationServer, .keySet, .pushedAuthorization, .token, .userInfo, .revocation:
            false
        }
    }

    fileprivate var isWellKnown: Bool { self == .openIDConfiguration || self == .authorizationServer }
}

/// Where the provider's endpoints lie below its issuer.
struct Routes: Sendable {
    private let base: String
    private let byPath: [String: Route]

    init(_ issuer: Issuer) {
        let text = issuer.description
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        let path = String(URIParts(base)?.path ?? "")
        var byPath: [String: Route] = [:]
        for route in Route.allCases {
            byPath[path + route.rawValue] = route
            // RFC 8414 section 3.1 puts the issuer's path behind the well-known one, OpenID Connect Discovery section 4.1
            // before it; clients try both.
            if route.isWellKnown { byPath[route.rawValue + path] = route }
        }
        self.base = base
        self.byPath = byPath
    }

    func url(_ route: Route) -> String { base + route.rawValue }
    func route(at path: String) -> Route? { byPath[path] }
}
