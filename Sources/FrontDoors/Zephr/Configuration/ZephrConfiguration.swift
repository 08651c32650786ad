public import Ostiary

/// A site, the app's redirect URI there, and how a sign-in behaves.
public struct ZephrConfiguration: Sendable, Hashable {
    /// Whether the system's browser shares its cookies with the sign-in.
    public enum BrowserSession: String, Sendable, Hashable {
        /// The user's own browser session: a user who is signed in at the social provider need not enter a password.
        case shared
        /// A session that is discarded afterwards, so that it contains no other user's sign-in.
        case ephemeral
    }

    /// The site.
    public let site: ZephrSite
    /// The redirect URI to which the site sends the user, exactly as it is configured there.
    ///
    /// Prefer an https URL that the app claims: the URL contains the session, and any app may register a scheme.
    public let redirectURI: RedirectURI
    /// The `client_type` of the start request.
    ///
    /// Default `ios`, after the path of the site's callback and the documented `android`.
    public var clientType = "ios"
    /// The time limit for the user in the browser.
    ///
    /// Default 300 seconds. The redirect does not identify its sign-in, so shorter is safer.
    public var browserDeadline: Duration = .seconds(300)
    /// The browser session of the platform's own user agent; an app's own user agent ignores it.
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
