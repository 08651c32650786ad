public import OstiaryJOSE

/// A person who can sign in.
public struct ProviderUser: Sendable {
    /// What the person types into the sign-in page.
    public var name: String
    /// What the password is checked against.
    public var passwordHash: PasswordHash
    /// The identifier that tokens carry as `sub`; never given to another person (OpenID Connect Core section 2).
    public var subject: String
    /// Claims about the person; a client sees those that its scopes open.
    public var claims: JSONObject

    /// Describes a person.
    public init(name: String, passwordHash: PasswordHash, subject: String, claims: JSONObject = [:]) {
        self.name = name
        self.passwordHash = passwordHash
        self.subject = subject
        self.claims = claims
    }
}
