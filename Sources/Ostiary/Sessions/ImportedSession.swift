import OstiaryJOSE
public import OstiaryOAuth

/// The stored session of another SDK: enough to continue it without the user.
///
/// None of its values is trusted. ``SignInClient/adopt(_:)`` makes a session from it with one refresh, whose response
/// passes every check of a refresh.
public struct ImportedSession: Sendable, Hashable {
    /// The refresh token that continues the session.
    public var refreshToken: Secret
    /// The issuer of the token, if the other SDK stored it.
    public var issuer: String?
    /// The client of the token, if the other SDK stored it.
    public var clientID: String?
    /// The granted scopes, if the other SDK stored them.
    public var scopes: [Scope]
    /// The user's identifier: the `sub` of the stored ID token, which has not been verified here.
    ///
    /// The session must be of the same user: a response about another user is rejected.
    public var subject: String?
    /// The `nonce` of the stored ID token, unverified; an ID token of a refresh must have the same one.
    public var nonce: String?
    /// The time of the user's authentication, by the `auth_time` of the stored ID token, in seconds since 1970,
    /// unverified.
    ///
    /// A refresh may not name an earlier time.
    public var authenticationTime: Double?

    /// Takes the values of a session that the app knows.
    public init(
        refreshToken: Secret,
        issuer: String? = nil,
        clientID: String? = nil,
        scopes: [Scope] = [],
        subject: String? = nil,
        nonce: String? = nil,
        authenticationTime: Double? = nil
    ) {
        self.refreshToken = refreshToken
        self.issuer = issuer
        self.clientID = clientID
        self.scopes = scopes
        self.subject = subject
        self.nonce = nonce
        self.authenticationTime = authenticationTime
    }

    /// The claims that the first refresh must continue; `nil` when none is known.
    var claimedIdentity: JSONObject? {
        var claims = JSONObject()
        claims["sub"] = subject.map { .string($0) }
        claims["nonce"] = nonce.map { .string($0) }
        claims["auth_time"] = authenticationTime.map { .number($0) }
        return claims.isEmpty ? nil : claims
    }
}

extension ImportedSession: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; no token.
    public var description: String { "ImportedSession(\(issuer ?? "unknown issuer"), \(clientID ?? "unknown client"))" }
    /// No token.
    public var customMirror: Mirror { Mirror(self, children: ["session": description]) }
}
