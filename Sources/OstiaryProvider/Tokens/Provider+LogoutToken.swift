import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// How long a logout token is good, in seconds. (OpenID Connect Back-Channel Logout section 2.4: at most two minutes)
    private static let logoutTokenLifetime: Double = 120

    /// What a client is told when a login has ended, for whoever brings it there: the provider opens no connections.
    ///
    /// It is made whether or not there was such a login, so that a test can play every case.
    /// (OpenID Connect Back-Channel Logout section 2.4)
    ///
    /// - Parameters:
    ///   - clientID: Who is told.
    ///   - subject: Whose login it was (`sub`). Default: only the login is named.
    ///   - sessionID: Which it was (`sid`, as the ID token has it). Default: every login of the subject.
    /// - Throws: ``ProviderStorageFailure``.
    public func logoutToken(for clientID: String, subject: String? = nil, sessionID: String? = nil) async throws
        -> String
    {
        let key = try await signingKey(configuration.algorithms.first ?? .rs256)
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
