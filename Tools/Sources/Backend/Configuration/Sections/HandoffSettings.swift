import OstiaryOAuth
public import OstiarySSAFYServer
import OstiaryServer

/// The redemption of SSAFY Verify's codes that apps hand over.
public struct HandoffSettings: Sendable {
    /// The path to which apps post codes.
    ///
    /// Default: `/ssafy/verify`.
    public let path: String
    /// The service's registration in the portal.
    public let configuration: SSAFYServerConfiguration
    /// The rate limits of apps.
    public let limits: SSAFYHandoff.Limits

    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(
            of: "path",
            "issuer",
            "client_id",
            "client_secret",
            "redirect_uris",
            "max_age",
            "requests_per_minute",
            "requests_per_minute_and_sender"
        )
        path = try object["path"]?.route() ?? "/ssafy/verify"
        limits = SSAFYHandoff.Limits(
            sender: RateLimit(
                try object["requests_per_minute_and_sender"]?.integer(in: 1...10_000_000) ?? 20,
                per: .seconds(60)
            ),
            total: RateLimit(try object["requests_per_minute"]?.integer(in: 1...10_000_000) ?? 600, per: .seconds(60))
        )
        let clientID = try object.required("client_id").text()
        let secret = try object["client_secret"]?.secret()
        let redirectURIs = try object.required("redirect_uris").texts()
        let issuer = try object["issuer"]?.text()
        let age = try object["max_age"]?.age()
        do throws(SignInError) {
            configuration = try SSAFYServerConfiguration(
                clientID: clientID,
                clientSecret: secret,
                redirectURIs: redirectURIs,
                issuer: issuer ?? SSAFYConfiguration.canonicalIssuer,
                maximumAge: age
            )
        } catch {
            throw setting.wrong(error.sentence)
        }
    }
}
