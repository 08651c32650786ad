public import OstiaryOAuth

/// A resource that access tokens can be for (RFC 8707).
public struct ProviderResource: Sendable, Hashable {
    /// The identifier, an absolute URI without a fragment; it is compared octet by octet and becomes the `aud`.
    public var identifier: String
    /// The name on the consent page.
    public var name: String
    /// The scopes that mean something there, `nil` for every one: tokens for it carry no others.
    public var scopes: [Scope]?
    /// The `typ` of tokens for it alone, such as `JWT` for a resource server that knows no `at+jwt`; `nil` for that of
    /// the manners (RFC 9068 section 2.1).
    public var accessTokenHeaderType: String?

    /// Describes a resource.
    public init(identifier: String, name: String, scopes: [Scope]? = nil, accessTokenHeaderType: String? = nil) {
        self.identifier = identifier
        self.name = name
        self.scopes = scopes
        self.accessTokenHeaderType = accessTokenHeaderType
    }
}
