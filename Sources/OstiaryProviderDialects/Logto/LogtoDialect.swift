import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

/// The dialect of Logto: its paths, opaque and organization tokens, authorize parameters, claims and error bodies.
///
/// Sources: docs.logto.io and the server's sources (`packages/core/src/oidc`). A user's claim `organizations` lists the
/// organizations, `organization_roles` the roles there, as `<id>:<role>`.
public struct LogtoDialect: Dialect {
    /// An organization of the tenant.
    public struct Organization: Sendable, Hashable {
        /// The identifier that organization tokens name.
        public var id: String
        /// The name that users see.
        public var name: String
        /// The scopes of each role of its members.
        public var roles: [String: [Scope]]
        /// Whether its members need a second factor; the claim `mfa` marks a user who has one.
        public var requiresMFA: Bool

        /// Describes an organization.
        public init(id: String, name: String, roles: [String: [Scope]] = [:], requiresMFA: Bool = false) {
            self.id = id
            self.name = name
            self.roles = roles
            self.requiresMFA = requiresMFA
        }
    }

    /// The form of error bodies.
    public enum ErrorBodies: Sendable, Hashable {
        /// `error` and `error_description`, and Logto's own `code` and `message` beside them.
        case current
        /// `code`, `message` and `data` alone, as older servers answered.
        case legacy
    }

    /// The tenant's organizations.
    public var organizations: [Organization]
    /// The scopes of each role of the whole tenant at API resources; an unlisted role allows everything.
    public var roles: [String: [Scope]]
    /// Third-party apps, by client identifier, with the organizations that were granted to each.
    public var thirdPartyApps: [String: Set<String>]
    /// The form of error bodies.
    public var errorBodies: ErrorBodies
    /// The claims beyond the standard ones that the tenant puts into ID tokens: its setting "Custom ID token".
    ///
    /// `custom_data`, `identities`, `sso_identities` and `organization_data` can be among them.
    public var customIDTokenClaims: Set<String>

    /// Makes a dialect.
    public init(
        organizations: [Organization] = [],
        roles: [String: [Scope]] = [:],
        thirdPartyApps: [String: Set<String>] = [:],
        errorBodies: ErrorBodies = .current,
        customIDTokenClaims: Set<String> = []
    ) {
        self.organizations = organizations
        self.roles = roles
        self.thirdPartyApps = thirdPartyApps
        self.errorBodies = errorBodies
        self.customIDTokenClaims = customIDTokenClaims
    }

    /// `logto`.
    public var name: String { "logto" }

    /// The paths of the endpoints below `{endpoint}/oidc`.
    public func path(of route: Route) -> String? {
        switch route {
        case .authorization: "/auth"
        case .token: "/token"
        case .keySet: "/jwks"
        case .userInfo: "/me"
        case .revocation: "/token/revocation"
        case .introspection: "/token/introspection"
        case .endSession: "/session/end"
        case .pushedAuthorization, .deviceAuthorization, .device, .deviceLogin, .deviceAccounts,
            .deviceOneTimePassword, .deviceConsent, .registration:
            ""
        default: nil
        }
    }

    /// Removes the features of the development provider that Logto lacks.
    public func writeMetadata(_ metadata: inout JSONObject, at provider: Provider) {
        metadata["grant_types_supported"] = [
            "authorization_code", "refresh_token", "client_credentials",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        ]
        metadata["require_pushed_authorization_requests"] = nil
        metadata["pushed_authorization_request_endpoint"] = nil
    }

    static let organizationsScope = Scope(rawValue: "urn:logto:scope:organizations")
    static let organizationPrefix = "urn:logto:organization:"
}
