public import OstiaryOAuth
public import OstiaryProvider

/// A vendor's system for development, with secrets made at start.
public struct DevelopmentSystem: Sendable {
    /// Whose.
    public let system: VendorSystem
    /// What everybody signs in with; show it to whoever runs the demo.
    public let password: Secret
    /// The secret of the partner's backend, or of the service that registers apps, where there is one.
    public let backendSecret: Secret

    /// Where the site of `zephr` sends people back to: a site has one such URI, with its port.
    public static let siteRedirectURI = "http://127.0.0.1:8456/callback"

    /// Makes the secrets.
    ///
    /// - Parameters:
    ///   - system: Whose.
    ///   - password: The people's password; `nil` makes one.
    ///   - random: Where the secrets come from.
    public init(
        _ system: VendorSystem,
        password: Secret? = nil,
        using random: inout some RandomNumberGenerator
    ) {
        self.system = system
        self.password = password ?? .readable(using: &random)
        backendSecret = .readable(groups: 8, using: &random)
    }

    /// Who can sign in, the one of the demos first.
    public var userName: String {
        switch system {
        case .curity, .logto: "alice"
        case .logi: "mina"
        case .ssafy: "jiwoo"
        case .zephr: "ada"
        }
    }

    /// The configuration at an origin; the issuer may lie deeper.
    ///
    /// - Parameters:
    ///   - origin: Where the server listens.
    ///   - cost: What a guess at the password costs. Default: what real passwords get.
    ///   - random: Where the salt of the password comes from.
    public func configuration(
        at origin: Issuer,
        cost: PasswordHash.Cost = .standard,
        using random: inout some RandomNumberGenerator
    ) throws -> ProviderConfiguration {
        let hash = try PasswordHash(password, cost: cost, using: &random)
        switch system {
        case .curity:
            return try .curity(
                issuer: Issuer("\(origin)/oauth/v2/oauth-anonymous"),
                people: [ProviderUser(name: userName, passwordHash: hash, subject: "user-alice")],
                serviceSecret: backendSecret
            )
        case .logi: return .logi(issuer: origin, password: hash, backendSecret: backendSecret)
        case .logto: return try .logto(issuer: Issuer("\(origin)/oidc"), passwordHash: hash)
        case .ssafy:
            return try .ssafy(
                issuer: origin,
                password: password,
                clientSecret: backendSecret,
                cost: cost,
                using: &random
            )
        case .zephr:
            return try .zephr(
                issuer: origin,
                redirectURI: RedirectURI(Self.siteRedirectURI),
                password: password,
                cost: cost,
                using: &random
            )
        }
    }
}
