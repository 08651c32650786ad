public import OstiarySSAFY
public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The partner's configuration in the developer portal of SSAFY Verify, and the requirements of the partner's backend.
public struct SSAFYServerConfiguration: Sendable {
    /// The issuer of verifications; each callback's `iss` is compared with it by code points.
    public let issuer: Issuer
    /// The client identifier of the portal.
    public let clientID: String
    /// The secret of a confidential client; `nil` for a public one.
    ///
    /// It stays in the backend's environment.
    public let clientSecret: Secret?
    /// The registered redirect URIs, to which callbacks may come.
    public let redirectURIs: [RedirectURI]
    /// The signature algorithms of verification tokens; the service documents none, so name the ones that it uses.
    public let algorithms: Set<SignatureAlgorithm>
    /// The longest time since the user authenticated; `nil` for no limit.
    public let maximumAge: Duration?
    /// The accepted clock skew.
    public let clockTolerance: Duration

    /// The only accepted assurance: a code in a direct message of the team's Mattermost.
    public static let assurance = "urn:ssafy:verify:assurance:mattermost-team-dm:v1"
    /// The authentication method of every verification.
    public static let method = "mattermost_dm"

    /// Makes the configuration from the portal's values.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier.
    ///   - clientSecret: The secret of a confidential client. Default: a public client, which has none.
    ///   - redirectURIs: The registered URIs, at least one; a loopback URI matches any port (RFC 8252 section 7.3).
    ///   - issuer: Default: the service's issuer; another one is for tests.
    ///   - algorithms: RS256 and ES256 unless told otherwise. (RFC 8725 section 3.1)
    ///   - maximumAge: The longest time since the user authenticated, for re-authentication. Default: no limit.
    ///   - clockTolerance: The accepted clock skew: 0 to 60 seconds. Default 30 seconds.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        clientID: String,
        clientSecret: Secret? = nil,
        redirectURIs: [String],
        issuer: String = SSAFYConfiguration.canonicalIssuer,
        algorithms: Set<SignatureAlgorithm> = [.rs256, .es256],
        maximumAge: Duration? = nil,
        clockTolerance: Duration = .seconds(30)
    ) throws(SignInError) {
        self.issuer = try Issuer(issuer)
        var uris: [RedirectURI] = []
        for text in redirectURIs { uris.append(try RedirectURI(text)) }
        guard !uris.isEmpty else {
            throw SignInError(
                .redirect,
                .configuration("A callback has to come to a registered URI: give at least one.")
            )
        }
        self.redirectURIs = uris
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.algorithms = algorithms
        self.maximumAge = maximumAge
        self.clockTolerance = clockTolerance
        // An invalid policy is reported now, and not when the first member is verified.
        _ = try policy
    }

    /// The policy for verification tokens.
    public var policy: IDTokenPolicy {
        get throws(SignInError) {
            try IDTokenPolicy(
                issuer: issuer,
                audiences: [clientID],
                algorithms: algorithms,
                claims: [
                    "client_id": .string(clientID), "verified": true,
                    // The older urn:ssafy:sso:assurance:… is a different assurance.
                    "acr": .string(Self.assurance),
                ],
                methods: [Self.method],
                authenticationTime: maximumAge.map { .within($0) } ?? .stated,
                clockTolerance: clockTolerance,
                maximumBytes: SSAFYTokenRequest.maximumTokenBytes
            )
        }
    }

    /// The service's metadata, which it does not publish.
    public var server: AuthorizationServer {
        AuthorizationServer(
            issuer: issuer,
            tokenEndpoint: url(below: "/verify/token"),
            jwksURI: url(below: "/verify/jwks")
        )
    }

    /// Returns whether a callback may have come to a redirect URI.
    func isRegistered(_ redirectURI: RedirectURI) -> Bool {
        redirectURIs.contains { registered in
            if registered == redirectURI { return true }
            guard registered.isLoopback, redirectURI.isLoopback else { return false }
            return registered.url.host() == redirectURI.url.host()
                && registered.url.path(percentEncoded: true) == redirectURI.url.path(percentEncoded: true)
                && registered.url.query(percentEncoded: true) == redirectURI.url.query(percentEncoded: true)
        }
    }

    func url(below path: String) -> URL? {
        let base = issuer.description
        return URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + path)
    }
}

extension SSAFYServerConfiguration: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; no secret.
    public var description: String { "SSAFYServerConfiguration(\(issuer), \(clientID))" }
    /// The issuer and the client.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer.description, "client": clientID]) }
}
