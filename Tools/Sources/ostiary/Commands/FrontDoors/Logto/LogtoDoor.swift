import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth

/// The front door of a profile.
struct LogtoDoor {
    let logto: Logto

    /// Opens the door as it was configured at the last sign-in.
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
    init(
        _ place: FrontDoorPlace,
        _ configuration: JSONObject,
        showing userAgent: any UserAgent,
        telling trace: Trace
    ) throws {
        logto = try Logto(
            LogtoConfig(
                endpoint: configuration["endpoint"]?.string ?? "",
                appId: configuration["app_id"]?.string ?? "",
                scopes: configuration.texts("scopes"),
                resources: configuration.texts("resources")
            ),
            redirectURI: configuration["redirect_uri"]?.string ?? "",
            userAgent: userAgent,
            transport: commandTransport,
            store: place.store,
            events: { trace.record($0) }
        )
    }

    /// The stored session.
    ///
    /// - Throws: `signInRequired` when there is none.
    func session() async throws(SignInError) -> LogtoSession {
        guard let session = try await logto.restoreSession() else { throw SignInError(.storage, .signInRequired) }
        return session
    }
}
