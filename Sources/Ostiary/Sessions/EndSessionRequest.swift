public import OstiaryOAuth

/// A request to end the user's session at the provider (OpenID Connect RP-Initiated Logout section 2).
public struct EndSessionRequest: Sendable, Hashable {
    /// The way in which the user returns to the app.
    public enum Returning: Sendable, Hashable {
        /// The provider redirects the user to this URI, which is registered there for this purpose; the redirect is
        /// checked.
        case redirect(RedirectURI)
        /// The user closes the provider's page.
        case closing
    }

    /// The hint about the user who signs out.
    public enum Hint: Sendable, Hashable {
        /// The ID token: the provider need not ask the user, and the token passes through the browser.
        case idToken
        /// No hint: the provider may ask the user.
        case none
    }

    /// The way in which the user returns to the app.
    public var returning: Returning
    /// The hint about the user who signs out.
    public var hint: Hint

    /// Makes a request.
    public init(returning: Returning, hint: Hint = .idToken) {
        self.returning = returning
        self.hint = hint
    }

    var redirectURI: RedirectURI? { if case .redirect(let uri) = returning { uri } else { nil } }
}
