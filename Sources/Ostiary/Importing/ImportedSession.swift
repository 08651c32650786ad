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

/// The reason a stored session of another SDK cannot be imported.
///
/// The SDK's item is never changed.
@nonexhaustive
public enum SessionImportError: String, Error, Sendable, Hashable {
    /// The stored session does not have the expected format.
    case malformed
    /// It contains no refresh token, so that the user must sign in.
    case noRefreshToken
    /// The other SDK had already learned that the session has ended.
    case ended
}

extension ImportedSession {
    /// Combines the values that were found.
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

    /// Returns the unverified claims of a token.
    private static func claims(of token: String) -> JSONObject? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard token.utf8.count <= 65_536, parts.count == 3, let payload = try? Base64URL.decode(Array(parts[1])) else {
            return nil
        }
        return try? JSONObject(parsing: payload)
    }
}
