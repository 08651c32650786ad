import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Speaks like a Zephr site: people, sessions, registrations, entitlements, and sign-in that the site delegates.
///
/// The provider itself stands in for the social providers: a start request leads to its sign-in page, and its answer goes
/// to the site's callback, which sends the person back to the app with a session, with the key of a registration to
/// finish, or with a failure. It is an OAuth 2 server for third parties, too, whose token requests are JSON.
public final class ZephrDialect: Dialect {
    /// How a site is set up.
    public struct Site: Sendable {
        /// Where the site sends people back to: the app's redirect URI, one for all.
        public var redirectURI: RedirectURI
        /// The social providers that are configured.
        public var providers: Set<String> = ["google", "facebook", "apple"]
        /// What a registration has to have.
        public var requiredAttributes: [String] = ["first_name"]
        /// Domains whose addresses cannot register.
        public var blockedDomains: Set<String> = ["blocked.example"]
        /// What every registered person may see.
        public var entitlements: Set<String> = ["free"]
        /// What a guess at a password costs.
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
    let state: Mutex<ZephrState>

    /// Makes the dialect.
    ///
    /// - Parameters:
    ///   - site: How the site is set up.
    ///   - people: Who is registered at first.
    public init(site: Site, people: [ZephrPerson] = []) {
        self.site = site
        state = Mutex(ZephrState(people: people))
    }

    /// `zephr`.
    public var name: String { "zephr" }

    /// The third parties' endpoints lie below `/zephr/oauth2`; what Zephr does not have lies nowhere.
    public func path(of route: Route) -> String? {
        switch route {
        case .authorization: "/zephr/oauth2"
        case .login: "/zephr/oauth2/login"
        case .consent: "/zephr/oauth2/consent"
        // Reached through JSON only; see `answer(to:at:)`.
        case .token: "/zephr/oauth2/token"
        case .keySet: "/zephr/oauth2/jwks"
        default: ""
        }
    }

    /// Answers what the Public API and the decision engine are asked.
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

    /// How many sessions are good at the moment.
    public var sessionCount: Int { state.withLock { $0.sessions.count } }

    /// Ends every session, as a site does when it is told to.
    public func endSessions() { state.withLock { $0.sessions = [:] } }
}

/// A person who is registered at a site.
public struct ZephrPerson: Sendable {
    /// The address, by which the person is known.
    public var emailAddress: String
    /// What a password is checked against; `nil` for somebody who signs in with a social provider.
    public var passwordHash: PasswordHash?
    /// What the site keeps about the person.
    public var profile: JSONObject
    /// What applications keep about the person.
    public var extendedProfiles: [String: JSONObject] = [:]
    /// What the person may see besides what everybody may.
    public var entitlements: Set<String>
    /// Whether the address is known to be the person's.
    public var isVerified: Bool

    /// Describes a person.
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
