import HTTPTypes
import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The dialect of a Zephr site: users, sessions, registrations, entitlements, and sign-in that the site delegates.
///
/// The provider itself replaces the social providers: a start request leads to its sign-in page, and its response goes
/// to the site's callback. The callback redirects the user to the app with a session, with the key of an unfinished
/// registration, or with a failure. For third parties the site is an OAuth 2 server whose token requests are JSON.
public final class ZephrDialect: Dialect {
    /// The configuration of a site.
    public struct Site: Sendable {
        /// The app's redirect URI, one for all sign-ins.
        public var redirectURI: RedirectURI
        /// The social providers that are configured.
        public var providers: Set<String> = ["google", "facebook", "apple"]
        /// The origins of the social providers' pages, such as `https://accounts.google.com`, for a network that leads
        /// them here.
        ///
        /// Default: none, and the pages lie on the site's own host.
        public var pageOrigins: [String: Issuer] = [:]
        /// The required attributes of a registration.
        public var requiredAttributes: [String] = ["first_name"]
        /// Domains whose addresses cannot register.
        public var blockedDomains: Set<String> = ["blocked.example"]
        /// The entitlements of every registered user.
        public var entitlements: Set<String> = ["free"]
        /// The work that each guess at a password requires.
        public var passwordCost = PasswordHash.Cost.standard

        /// Sets up a site.
        ///
        /// - Parameter redirectURI: The app's redirect URI.
        public init(redirectURI: RedirectURI) { self.redirectURI = redirectURI }
    }

    /// The client that the social providers know.
    static let socialClientID = "zephr-social"
    /// A third party's client.
    public static let thirdPartyClientID = "zephr-third-party"

    let site: Site
    let state: Lock<ZephrState>

    /// Makes the dialect.
    ///
    /// - Parameters:
    ///   - site: The configuration of the site.
    ///   - users: The users registered at first.
    public init(site: Site, users: [ZephrUser] = []) {
        self.site = site
        state = Lock(ZephrState(users: users))
    }

    /// `zephr`.
    public var name: String { "zephr" }

    /// The third parties' endpoints lie below `/zephr/oauth2`; endpoints that Zephr lacks have no path.
    public func path(of route: Route) -> String? {
        switch route {
        case .authorization: "/zephr/oauth2"
        case .login: "/zephr/oauth2/login"
        case .accounts: "/zephr/oauth2/accounts"
        case .oneTimePassword: "/zephr/oauth2/one-time-password"
        case .consent: "/zephr/oauth2/consent"
        // Reached through JSON only; see `answer(to:at:)`.
        case .token: "/zephr/oauth2/token"
        case .keySet: "/zephr/oauth2/jwks"
        default: ""
        }
    }

    /// Responds to requests for the Public API and the decision engine.
    public func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? {
        let base = provider.path(below: "")
        guard request.path.hasPrefix(base) else { return nil }
        let segments = request.path.dropFirst(base.count).split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst().map(String.init)
        guard request.body.count <= ProviderRequest.maximumBodyBytes else {
            return .zephr("The body is too large.", .contentTooLarge)
        }
        let call = ZephrCall(request: request, provider: provider, dialect: self)
        return try await call.answer(segments)
    }

    /// Lets a third party stay signed in without asking for it, as Zephr does.
    public func readAuthorization(_ parameters: inout Parameters, at provider: Provider) {
        guard parameters[.clientID] == Self.thirdPartyClientID, let scope = parameters[.scope] else { return }
        let scopes = Scope.list(scope)
        if !scopes.contains(.offlineAccess) { parameters[.scope] = (scopes + [.offlineAccess]).text }
    }

    /// The number of active sessions.
    public var sessionCount: Int { state.withLock { $0.sessions.count } }

    /// Ends every session, as a site's administrator can.
    public func endSessions() { state.withLock { $0.sessions = [:] } }
}

/// A user who is registered at a site.
public struct ZephrUser: Sendable {
    /// The address that identifies the user.
    public var emailAddress: String
    /// The hash that a password is checked against; `nil` for a user of a social provider.
    public var passwordHash: PasswordHash?
    /// The site's data about the user.
    public var profile: JSONObject
    /// The applications' data about the user.
    public var extendedProfiles: [String: JSONObject] = [:]
    /// The user's entitlements besides those of every registered user.
    public var entitlements: Set<String>
    /// Whether the user has confirmed the address.
    public var isVerified: Bool

    /// Describes a user.
    public init(
        emailAddress: String,
        passwordHash: PasswordHash? = nil,
        profile: JSONObject = [:],
        entitlements: Set<String> = [],
        isVerified: Bool = true
    ) {
        self.emailAddress = emailAddress
        self.passwordHash = passwordHash
        self.profile = profile
        self.entitlements = entitlements
        self.isVerified = isVerified
    }
}
