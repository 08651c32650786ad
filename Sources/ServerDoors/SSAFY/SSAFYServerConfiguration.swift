public import OstiarySSAFY
public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the developer portal of SSAFY Verify has on a partner, and what the partner's backend insists on.
public struct SSAFYServerConfiguration: Sendable {
    /// Who verifies; the `iss` of each callback is compared with it character by character.
    public let issuer: Issuer
    /// The client identifier of the portal.
    public let clientID: String
    /// The secret of a confidential client; `nil` for a public one.
    ///
    /// It stays in the backend's environment.
    public let clientSecret: Secret?
    /// Where callbacks may have come to: the registered URIs.
    public let redirectURIs: [RedirectURI]
    /// What a verification token may be signed with; the service does not say, so name what it is found to use.
    public let algorithms: Set<SignatureAlgorithm>
    /// How long ago the person may have shown it, in seconds; `nil` for any time.
    public let maximumAge: Int?
    /// How far the clocks may be apart, in seconds.
    public let clockTolerance: Double

    /// The only assurance that counts: a code in a direct message of the team's Mattermost.
    public static let assurance = "urn:ssafy:verify:assurance:mattermost-team-dm:v1"
    /// The way in which every person has authenticated.
    public static let method = "mattermost_dm"

    /// Takes what the portal shows.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier.
    ///   - clientSecret: Of a confidential client. Default: a public one, which has none.
    ///   - redirectURIs: The registered URIs, at least one; of those on this machine any port is one (RFC 8252 section 7.3).
    ///   - issuer: Default: the one that the service has; another one is for tests.
    ///   - algorithms: RS256 and ES256 unless told otherwise. (RFC 8725 section 3.1)
    ///   - maximumAge: How long ago the person may have shown it, in seconds: for authenticating again. Default: any time.
    ///   - clockTolerance: Seconds, 0 to 60. Default 30.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        clientID: String,
        clientSecret: Secret? = nil,
        redirectURIs: [String],
        issuer: String = SSAFYConfiguration.canonicalIssuer,
        algorithms: Set<SignatureAlgorithm> = [.rs256, .es256],
        maximumAge: Int? = nil,
        clockTolerance: Double = 30
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
        // What is wrong with a policy is said now, and not when the first person comes.
        _ = try policy
    }

    /// What a verification token has to be.
    public var policy: IDTokenPolicy {
        get throws(SignInError) {
            try IDTokenPolicy(
                issuer: issuer,
                audiences: [clientID],
                algorithms: algorithms,
                claims: [
                    "client_id": .string(clientID), "verified": true,
                    // The older urn:ssafy:sso:assurance:… is another one.
                    "acr": .string(Self.assurance),
                ],
                methods: [Self.method],
                authenticationTime: maximumAge.map { .within(seconds: $0) } ?? .stated,
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

    /// Whether a callback may have come there.
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
