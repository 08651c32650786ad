import OstiaryJOSE
public import OstiaryOAuth

/// What another SDK kept of a session: enough to continue it without a person.
///
/// Nothing of it is believed. ``SignInClient/adopt(_:)`` makes a session of it with one refresh, whose answer passes
/// every check that a refresh has to pass.
public struct ImportedSession: Sendable, Hashable {
    /// What the session is continued with.
    public var refreshToken: Secret
    /// Who issued it, as far as what was kept says so.
    public var issuer: String?
    /// To which client, as far as what was kept says so.
    public var clientID: String?
    /// What was granted, as far as what was kept says so.
    public var scopes: [Scope]
    /// Who signed in: the `sub` of the ID token that was kept, which nobody has verified here.
    ///
    /// The session has to be of the same user: an answer about another one is not used.
    public var subject: String?
    /// The `nonce` of the ID token that was kept, unverified; one that a refresh brings has to be the same.
    public var nonce: String?
    /// When the user authenticated, by the `auth_time` of the ID token that was kept, in seconds since 1970, unverified; a
    /// refresh may not name an earlier time.
    public var authenticationTime: Double?

    /// Takes what the app knows of a session.
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

    /// The claims that the first refresh has to continue; `nil` when none is known.
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

/// Why what another SDK kept cannot be imported.
///
/// It is left as it is in any case: the SDK's item is never touched.
@nonexhaustive
public enum SessionImportError: String, Error, Sendable, Hashable {
    /// It is not in the format that was named.
    case malformed
    /// It holds no refresh token: without one nothing can be continued, and a person has to sign in.
    case noRefreshToken
    /// The other SDK had already been told that the session is over.
    case ended
}

extension ImportedSession {
    /// Puts together what was found.
    ///
    /// - Parameter idToken: Read for its claims and not verified.
    init(
        refreshToken: String?,
        issuer: String?,
        clientID: String?,
        scope: String?,
        idToken: String?
    ) throws(SessionImportError) {
        guard let refreshToken, !refreshToken.isEmpty else { throw .noRefreshToken }
        guard refreshToken.utf8.count <= 65_536, refreshToken.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw .malformed
        }
        let claims = idToken.flatMap(Self.claims)
        self.init(
            refreshToken: Secret(refreshToken),
            issuer: issuer ?? claims?["iss"]?.string,
            clientID: clientID,
            scopes: scope.map(Scope.list) ?? [],
            subject: claims?["sub"]?.string,
            nonce: claims?["nonce"]?.string,
            authenticationTime: claims?["auth_time"]?.number
        )
    }

    /// What a token says of itself.
    private static func claims(of token: String) -> JSONObject? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard token.utf8.count <= 65_536, parts.count == 3, let payload = try? Base64URL.decode(Array(parts[1])) else {
            return nil
        }
        return try? JSONObject(parsing: payload)
    }
}
