public import OstiaryOAuth
public import OstiarySSAFYServer
public import OstiaryServer

/// The settings that differ from one place where this runs to another.
public struct NotesSettings: Sendable {
    /// The name by which the world reaches this server, such as `https://notes.example.com`.
    ///
    /// It is the audience of access tokens and what proofs have to name; the `Host` field is never asked.
    public var origin: String
    /// The issuer that signs users in.
    public var issuer: Issuer
    /// This backend as the issuer knows it.
    public var clientID: String
    /// Its secret.
    public var clientSecret: Secret
    /// The redirect URI to which the issuer sends users: the app's own link.
    public var redirectURI: RedirectURI
    /// The registration of this backend in SSAFY Verify's portal.
    public var membership: SSAFYServerConfiguration
    /// Seals what is stored.
    public var sealing: SealingKeys

    /// Takes everything.
    public init(
        origin: String,
        issuer: Issuer,
        clientID: String,
        clientSecret: Secret,
        redirectURI: RedirectURI,
        membership: SSAFYServerConfiguration,
        sealing: SealingKeys
    ) {
        self.origin = origin
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURI = redirectURI
        self.membership = membership
        self.sealing = sealing
    }
}
