import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth

/// The front door of a profile.
struct LogiDoor {
    let place: FrontDoorPlace
    let logi: Logi

    /// Opens the door as it was configured at the last sign-in.
    ///
    /// - Throws: `signInRequired` when there was none.
    init(at place: FrontDoorPlace, telling trace: Trace) async throws {
        try self.init(place, try await place.configuration(), showing: NoUserAgent(), telling: trace)
    }

    /// Opens the door as it is configured.
    init(
        _ place: FrontDoorPlace,
        _ configuration: JSONObject,
        showing userAgent: any UserAgent,
        telling trace: Trace
    ) throws {
        self.place = place
        logi = try Logi(
            LogiConfiguration(
                clientID: configuration["client_id"]?.string ?? "",
                redirectURI: configuration["redirect_uri"]?.string ?? "",
                issuer: configuration["issuer"]?.string ?? "",
                scopes: Scope.list(configuration["scope"]?.string ?? "")
            ),
            browser: userAgent,
            transport: commandTransport,
            store: place.store,
            events: { trace.record($0) }
        )
    }

    /// The stored session.
    ///
    /// - Throws: `signInRequired` when there is none.
    func session() async throws(SignInError) -> Session {
        guard let session = try await logi.restoreSession() else { throw SignInError(.storage, .signInRequired) }
        return session
    }
}
