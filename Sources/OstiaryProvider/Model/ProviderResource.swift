public import OstiaryOAuth

/// A resource that access tokens can be for (RFC 8707).
public struct ProviderResource: Sendable, Hashable {
    /// The identifier, an absolute URI without a fragment; it is compared octet by octet and becomes the `aud`.
    public var identifier: String
    /// The name on the consent page.
    public var name: String
    /// The scopes that mean something there, `nil` for every one: tokens for it carry no others.
    public var scopes: [Scope]?

    /// Describes a resource.
    public init(identifier: String, name: String, scopes: [Scope]? = nil) {
        self.identifier = identifier
        self.name = name
        self.scopes = scopes
    }
}
