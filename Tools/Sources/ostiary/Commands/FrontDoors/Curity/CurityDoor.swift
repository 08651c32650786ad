import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth

/// The front door of a profile.
struct CurityDoor {
    let curity: Curity

    /// Opens the door as it was configured at the registration.
    ///
    /// - Throws: `signInRequired` when there was none.
    init(
        at place: FrontDoorPlace,
        showing userAgent: any UserAgent = NoUserAgent(),
        telling trace: Trace
    ) async throws {
        try self.init(place, try await place.configuration(), showing: userAgent, telling: trace)
    }

    /// Opens the door as it is configured.
    ///
    /// - Parameter initialAccess: What allows registering, when it is more than nothing.
    init(
        _ place: FrontDoorPlace,
        _ configuration: JSONObject,
        initialAccess: CurityInitialAccess = .open,
        showing userAgent: any UserAgent,
        telling trace: Trace
    ) throws {
        let registration: CurityRegistration =
            if let template = configuration["template"]?.string {
                .template(template, access: initialAccess)
            } else {
                .describingItself(access: initialAccess)
            }
        curity = Curity(
            try CurityConfiguration(
                issuer: configuration["issuer"]?.string ?? "",
                redirectUri: configuration["redirect_uri"]?.string ?? "",
                postLogoutRedirectUri: configuration["redirect_uri"]?.string ?? "",
                scope: configuration["scope"]?.string ?? "",
                registration: registration
            ),
            userAgent: userAgent,
            transport: commandTransport,
            store: place.store,
            events: { trace.record($0) }
        )
    }

    /// The stored session.
    ///
    /// - Throws: `signInRequired` when there is none.
    func session() async throws(SignInError) -> CuritySession {
        guard let session = try await curity.restoreSession() else { throw SignInError(.storage, .signInRequired) }
        return session
    }
}
