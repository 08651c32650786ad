public import Ostiary

/// Where an app signs people in, and how it registers itself there.
public struct CurityConfiguration: Sendable {
    /// The issuer, such as `https://idsvr.example.com/oauth/v2/oauth-anonymous`.
    ///
    /// A registration is kept for each issuer: a development server with another address gets another one.
    public var issuer: Issuer
    /// Where answers come back to, such as `io.curity.client:/callback`.
    ///
    /// An https URL that the app claims is safer than a scheme, which another app can claim, too.
    public var redirectURI: RedirectURI
    /// Where the person comes back to after signing out; `nil` leaves the provider's own session alone.
    public var postLogoutRedirectURI: RedirectURI?
    /// What is asked for; refresh tokens come without asking.
    ///
    /// Default: `openid profile`.
    public var scopes: [Scope]
    /// How the app registers.
    public var registration: CurityRegistration
    /// Whether a new client is registered when the server does not know the old one any more.
    ///
    /// Default: it is, once.
    public var replacement: CurityReplacement
    /// How a sign-in and its session behave.
    ///
    /// Default: 300 seconds for the person in the browser, ten minutes for an answer that comes after a restart, and
    /// access tokens renewed a minute before they end.
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
    /// - Parameter scope: Joined by spaces.
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

    /// 300 seconds for the person in the browser, ten minutes for an answer that comes after a restart, and access tokens
    /// renewed a minute before they end.
    public static var defaultPolicy: SessionPolicy {
        SessionPolicy(browserDeadline: .seconds(300), minimumValidity: 60, pendingLifetime: 600)
    }

    /// Whether the browser's session is one that other apps and later sign-ins do not share.
    ///
    /// `false`: after a registration by sign-in the sign-in itself need not ask again, and signing out ends the session
    /// that the browser has.
    public static let prefersEphemeralBrowser = false
}
