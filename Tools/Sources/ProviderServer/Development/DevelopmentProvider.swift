import Foundation
import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

/// Clients and a user that are ready to use, for demos.
///
/// Only the names are the same on two machines: the password and the client secret are generated at start, unless they
/// are given.
public struct DevelopmentProvider: Sendable {
    /// A public client for apps and commands on this machine.
    public static let appClientID = "ostiary-demo"
    /// A confidential client for web servers on this machine.
    public static let webClientID = "ostiary-web"
    /// The name with which the user signs in.
    public static let userName = "alice"

    /// Alice's password; display it to the user who runs the demo.
    public let password: Secret
    /// The secret of ``webClientID``, which authenticates with `client_secret_basic`.
    public let webClientSecret: Secret
    /// Further redirect URIs of both clients, besides `/callback` of this machine.
    public var redirectURIs: [RedirectURI] = []
    private var user: ProviderUser

    /// Names the user, whose subject and claims follow the name.
    ///
    /// - Parameter name: The name to sign in with; ``userName`` leaves everything as it is.
    public mutating func rename(_ name: String) {
        guard name != user.name else { return }
        user.name = name
        // A subject has at most 255 ASCII characters (OpenID Connect Core section 2).
        let letters = name.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "\u{20}"..."\u{7e}"))
        user.subject = String("user-\(letters ?? "")".prefix(255))
        user.claims = ["name": .string(name), "preferred_username": .string(name)]
    }

    /// Makes the secrets.
    ///
    /// - Parameters:
    ///   - password: Alice's password; `nil` generates one.
    ///   - cost: The work that each guess at the password requires. Default: as for real passwords.
    ///   - random: The source of the secrets.
    /// - Throws: ``PasswordHash/Failure`` for a password that cannot be hashed.
    public init(
        password: Secret? = nil,
        cost: PasswordHash.Cost = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(PasswordHash.Failure) {
        self.password = password ?? .readable(using: &random)
        webClientSecret = .readable(groups: 8, using: &random)
        user = ProviderUser(
            name: Self.userName,
            passwordHash: try PasswordHash(self.password, cost: cost, using: &random),
            subject: "user-alice",
            claims: [
                "name": "Alice Example",
                "given_name": "Alice",
                "family_name": "Example",
                "preferred_username": "alice",
                "email": "alice@example.com",
                "email_verified": true,
            ]
        )
    }

    /// Returns the configuration for an issuer.
    ///
    /// Both clients receive responses at `/callback` on any port of this machine and at ``redirectURIs``, and redirect
    /// users there or to `/` after signing out.
    public func configuration(for issuer: Issuer) throws(SignInError) -> ProviderConfiguration {
        let callbacks = try Self.loopback("/callback") + redirectURIs
        let ends = try Self.loopback("/") + callbacks
        return ProviderConfiguration(
            issuer: issuer,
            name: "Ostiary",
            clients: [
                RegisteredClient(
                    id: Self.appClientID,
                    name: "Ostiary Demo",
                    redirectURIs: callbacks,
                    postLogoutRedirectURIs: ends
                ),
                RegisteredClient(
                    id: Self.webClientID,
                    name: "Ostiary Web",
                    authenticationMethod: .clientSecretBasic(SecretDigest(of: webClientSecret)),
                    redirectURIs: callbacks,
                    postLogoutRedirectURIs: ends
                ),
            ],
            users: [user]
        )
    }

    private static func loopback(_ path: String) throws(SignInError) -> [RedirectURI] {
        [try RedirectURI("http://127.0.0.1\(path)"), try RedirectURI("http://[::1]\(path)")]
    }
}
