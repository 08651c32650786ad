public import OstiaryJOSE

/// A user who can sign in.
public struct ProviderUser: Sendable {
    /// The name that the user enters on the sign-in page.
    public var name: String
    /// The hash that the password is checked against.
    public var passwordHash: PasswordHash
    /// The identifier that tokens carry as `sub`; never reassigned to another user (OpenID Connect Core section 2).
    public var subject: String
    /// Claims about the user; a client receives those that its scopes give access to.
    public var claims: JSONObject
    /// The secret of the user's authenticator app; `nil` for a user who has a password alone.
    public var oneTimePassword: OneTimePassword?

    /// Describes a user.
    public init(name: String, passwordHash: PasswordHash, subject: String, claims: JSONObject = [:]) {
        self.name = name
        self.passwordHash = passwordHash
        self.subject = subject
        self.claims = claims
    }
}
