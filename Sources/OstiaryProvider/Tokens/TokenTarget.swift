/// The binding of an access token: a key, and resources.
struct TokenTarget: Sendable {
    /// The thumbprint of the key that the client proved to have; `nil` for a bearer token.
    var keyThumbprint: String?
    /// The resources of the token; empty for the default audience.
    var resources: [ProviderResource] = []
    /// The dialect's plan for the token; `nil` for grants that a dialect does not change.
    var plan: AccessTokenPlan?

    /// The audience of the token; empty for the default one.
    var audience: [String] { plan?.audience ?? resources.map(\.identifier) }
}
