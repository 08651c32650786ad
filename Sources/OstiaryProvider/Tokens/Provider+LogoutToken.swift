import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The lifetime of a logout token, in seconds.
    ///
    /// (OpenID Connect Back-Channel Logout section 2.4: at most two minutes)
    static let logoutTokenLifetime: Double = 120

    /// Returns a logout token, which notifies a client that a login has ended.
    ///
    /// A sign-out delivers such tokens by itself; this one is for a test, which can play every case: the token is made
    /// whether or not there was such a login. (OpenID Connect Back-Channel Logout section 2.4)
    ///
    /// - Parameters:
    ///   - clientID: The client to notify.
    ///   - subject: The user of the login (`sub`). Default: the token names only the login.
    ///   - sessionID: The login (`sid`, as in the ID token). Default: every login of the subject.
    /// - Returns: The signed token.
    /// - Throws: ``ProviderStorageFailure``.
    public func logoutToken(for clientID: String, subject: String? = nil, sessionID: String? = nil) async throws
        -> String
    {
        let client = try await client(clientID)
        // A client checks the signature as it checks that of an ID token (section 2.6).
        let key = try await signingKey(algorithm(client?.idTokenAlgorithm, for: client))
        var claims: JSONObject = [
            "iss": .string(configuration.issuer.description), "aud": .string(clientID),
            "iat": .integer(now.numericDate),
            "exp": .integer(now.addingTimeInterval(Self.logoutTokenLifetime).numericDate),
            "jti": .string(random.identifier()),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        claims["sub"] = subject.map { .string($0) }
        claims["sid"] = sessionID.map { .string($0) }
        return try key.sign(claims: claims, type: "logout+jwt")
    }
}
