public import Ostiary

/// A site, the app's redirect URI there, and how a sign-in behaves.
public struct ZephrConfiguration: Sendable, Hashable {
    /// Whether the system's browser shares its cookies with the sign-in.
    public enum BrowserSession: String, Sendable, Hashable {
        /// The person's own browser session: who is signed in at the social provider need not type anything.
        case shared
        /// One that is forgotten afterwards, so that nobody else's sign-in is waiting in it.
        case ephemeral
    }

    /// The site.
    public let site: ZephrSite
    /// Where the site sends the person back to, exactly as it is set up there.
    ///
    /// Best an https URL that the app claims: the session is in that URL, and any app may register a scheme.
    public let redirectURI: RedirectURI
    /// What the start request names as `client_type`.
    ///
    /// Default `ios`, after the path of the site's callback and the documented `android`.
    public var clientType = "ios"
    /// How long the person may take in the browser.
    ///
    /// Default 300 seconds. Nothing in the answer says which sign-in it belongs to, so shorter is safer.
    public var browserDeadline: Duration = .seconds(300)
    /// What the platform's own user agent is made with; one that the app gives decides for itself.
    ///
    /// Default ``BrowserSession/ephemeral``.
    public var browserSession = BrowserSession.ephemeral

    /// Takes a site and a redirect URI.
    ///
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(site: ZephrSite, redirectURI: String) throws(ZephrError) {
        self.site = site
        do throws(SignInError) {
            self.redirectURI = try RedirectURI(redirectURI)
        } catch {
            throw ZephrError(.configuration(error.message))
        }
    }
}
