/// The URI at which a client is notified that a login has ended.
///
/// (OpenID Connect Back-Channel Logout section 2.2, OpenID Connect Front-Channel Logout section 2)
public struct ClientLogout: Sendable, Hashable {
    /// The URI.
    public var uri: ClientURI
    /// Whether the client needs the login's identifier, `sid`.
    public var isSessionRequired: Bool

    /// Names the URI.
    ///
    /// - Parameters:
    ///   - uri: The URI.
    ///   - isSessionRequired: Whether the client needs `sid`. Default: no.
    public init(_ uri: ClientURI, isSessionRequired: Bool = false) {
        self.uri = uri
        self.isSessionRequired = isSessionRequired
    }
}
