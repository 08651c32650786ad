public import OstiaryOAuth

/// How the person's session at the provider is ended (OpenID Connect RP-Initiated Logout section 2).
public struct EndSessionRequest: Sendable, Hashable {
    /// How the person gets back.
    public enum Return: Sendable, Hashable {
        /// The provider sends the person to this place, which is registered there for this purpose; the answer is checked.
        case redirect(RedirectURI)
        /// The person closes the provider's page.
        case closing
    }

    /// What the provider is told of who signs out.
    public enum Hint: Sendable, Hashable {
        /// The ID token: the provider need not ask, and the token passes through the browser.
        case idToken
        /// Nothing: the provider may ask.
        case none
    }

    /// How the person gets back.
    public var `return`: Return
    /// What the provider is told of who signs out.
    public var hint: Hint

    /// Makes a request.
    public init(return: Return, hint: Hint = .idToken) {
        self.return = `return`
        self.hint = hint
    }

    var redirectURI: RedirectURI? { if case .redirect(let uri) = self.return { uri } else { nil } }
}
