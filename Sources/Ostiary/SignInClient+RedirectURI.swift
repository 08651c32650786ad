public import OstiaryOAuth

extension SignInClient {
    /// The same client with another of its registered redirect URIs.
    ///
    /// It shares everything else: what is known of the server, and the session, which either of them may restore.
    public func redirecting(to redirectURI: RedirectURI) -> SignInClient {
        var other = self
        other.client.redirectURI = redirectURI
        return other
    }
}
