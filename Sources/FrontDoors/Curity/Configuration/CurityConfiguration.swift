public import Ostiary

/// The server, and the registration of the app there.
public struct CurityConfiguration: Sendable {
    /// The issuer, such as `https://idsvr.example.com/oauth/v2/oauth-anonymous`.
    ///
    /// A registration is kept for each issuer: a development server with another address gets another one.
    public var issuer: Issuer
    /// The redirect URI of the app, such as `io.curity.client:/callback`.
    ///
    /// An https URL that the app claims is safer than a scheme, which another app can also claim.
    public var redirectURI: RedirectURI
    /// The URI to which the user returns after signing out; `nil` leaves the provider's own session unchanged.
    public var postLogoutRedirectURI: RedirectURI?
    /// The requested scopes; refresh tokens are issued without a request.
    ///
    /// Default: `openid profile`.
    public var scopes: [Scope]
    /// The registration of the app.
    public var registration: CurityRegistration
    /// Whether a new client is registered when the server no longer knows the old one.
    ///
    /// Default: it is, once.
    public var replacement: CurityReplacement
    /// The behavior of a sign-in and its session.
    ///
    /// Default: 300 seconds for the user in the browser, ten minutes for a response after a restart, and access tokens
    /// refreshed a minute before they expire.
    public var policy: SessionPolicy

    /// Makes a configuration of typed values.
    public init(
        issuer: Issuer,
        redirectURI: RedirectURI,
        postLogoutRedirectURI: RedirectURI? = nil,
        scopes: [Scope] = [.openID, .profile],
        registration: CurityRegistration = .describingItself(),
        replacement: CurityReplacement = .automatic,
        policy: SessionPolicy = Self.defaultPolicy
    ) {
        self.issuer = issuer
        self.redirectURI = redirectURI
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.scopes = scopes
        self.registration = registration
        self.replacement = replacement
        self.policy = policy
    }

    /// Makes a configuration of the strings that the tutorial's `ApplicationConfig` has.
    ///
    /// - Parameters:
    ///   - issuer: The issuer URL.
    ///   - redirectUri: The redirect URI of the sign-in.
    ///   - postLogoutRedirectUri: The redirect URI of the sign-out.
    ///   - scope: Joined by spaces.
    ///   - registration: The way to a client: registered by the app, by a user who signs in, or known beforehand.
    ///   - replacement: When a client that the server no longer knows is replaced.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        issuer: String,
        redirectUri: String,
        postLogoutRedirectUri: String,
        scope: String = "openid profile",
        registration: CurityRegistration = .describingItself(),
        replacement: CurityReplacement = .automatic
    ) throws(SignInError) {
        self.init(
            issuer: try Issuer(issuer),
            redirectURI: try RedirectURI(redirectUri),
            postLogoutRedirectURI: try RedirectURI(postLogoutRedirectUri),
            scopes: Scope.list(scope),
            registration: registration,
            replacement: replacement
        )
    }

    /// The default policy of a front door for Curity.
    ///
    /// It allows 300 seconds for the user in the browser and ten minutes for a response after a restart. Access tokens
    /// are refreshed a minute before they expire.
    public static var defaultPolicy: SessionPolicy {
        SessionPolicy(browserDeadline: .seconds(300), minimumValidity: .seconds(60), pendingLifetime: .seconds(600))
    }

    /// Whether the browser's session is private to one sign-in, not shared with other apps and later sign-ins.
    ///
    /// `false`: the sign-in after a registration by sign-in then needs no second authentication, and signing out ends
    /// the browser's session.
    public static let prefersEphemeralBrowser = false
}
