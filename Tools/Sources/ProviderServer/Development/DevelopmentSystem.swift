public import OstiaryOAuth
public import OstiaryProvider
import OstiaryProviderDialects

/// A vendor's system for development, with secrets made at start.
public struct DevelopmentSystem: Sendable {
    /// The vendor's system.
    public let system: VendorSystem
    /// The password of all users; display it to the user who runs the demo.
    public let password: Secret
    /// The secret of the partner's backend, or of the service that registers apps, where there is one.
    public let backendSecret: Secret

    /// The URI to which the site of `zephr` redirects users: a site has one, including its port.
    public static let siteRedirectURI = "http://127.0.0.1:8456/callback"

    /// Makes the secrets.
    ///
    /// - Parameters:
    ///   - system: The vendor's system.
    ///   - password: The users' password; `nil` generates one.
    ///   - random: The source of the secrets.
    public init(
        _ system: VendorSystem,
        password: Secret? = nil,
        using random: inout some RandomNumberGenerator
    ) {
        self.system = system
        self.password = password ?? .readable(using: &random)
        backendSecret = .readable(groups: 8, using: &random)
    }

    /// Whether the system has a backend that authenticates with ``backendSecret``.
    public var hasBackend: Bool {
        switch system {
        case .curity, .logi, .ssafy: true
        case .logto, .zephr: false
        }
    }

    /// The name of the demos' user.
    public var userName: String {
        switch system {
        case .curity, .logto: "alice"
        case .logi: "mina"
        case .ssafy: "jiwoo"
        case .zephr: "ada"
        }
    }

    /// Returns the configuration at an origin; the issuer may have a path.
    ///
    /// - Parameters:
    ///   - origin: The origin of the server.
    ///   - cost: The work that each guess at the password requires. Default: as for real passwords.
    ///   - random: The source of the password's salt.
    /// - Returns: The configuration.
    /// - Throws: ``PasswordHash/Failure`` for a password that cannot be hashed; `configuration` for an issuer that the
    ///   system cannot have.
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
                users: [ProviderUser(name: userName, passwordHash: hash, subject: "user-alice")],
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
