/// What an access token is bound to: a key, and resources.
struct TokenTarget: Sendable {
    /// The thumbprint of the key that the client proved to have; `nil` for a token that whoever has it may use.
    var keyThumbprint: String?
    /// What it is for; empty for the default audience.
    var resources: [ProviderResource] = []
    /// What the dialect made of it; `nil` for grants that it is not asked about.
    var plan: AccessTokenPlan?

    /// Whom it is for; empty for the default audience.
    var audience: [String] { plan?.audience ?? resources.map(\.identifier) }
}
