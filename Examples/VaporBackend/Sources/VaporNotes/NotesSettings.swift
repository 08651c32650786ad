public import OstiaryOAuth
public import OstiaryServer

/// The settings that differ from one place where this runs to another.
public struct NotesSettings: Sendable {
    /// The origin by which clients and browsers know this server, such as `https://notes.example.com`.
    ///
    /// It is the audience of access tokens and what proofs have to name; the `Host` field is never asked.
    public var origin: String
    /// The issuer that signs users in.
    public var issuer: Issuer
    /// The client identifier that the issuer has given this backend.
    public var clientID: String
    /// The client's secret.
    public var clientSecret: Secret
    /// Seals what is stored.
    public var sealing: SealingKeys

    /// Takes everything.
    public init(origin: String, issuer: Issuer, clientID: String, clientSecret: Secret, sealing: SealingKeys) {
        self.origin = origin
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.sealing = sealing
    }
}
