/// The pages about a client that the consent page links to (OpenID Connect Dynamic Client Registration section 2).
public struct ClientPages: Sendable, Hashable {
    /// The client's home page, `client_uri`.
    public var home: ClientURI?
    /// The client's privacy policy, `policy_uri`.
    public var policy: ClientURI?
    /// The client's terms of service, `tos_uri`.
    public var terms: ClientURI?
    /// The client's logo, `logo_uri`; the page loads it where the rules accept references.
    public var logo: ClientURI?

    /// No pages.
    public init() {}
}
