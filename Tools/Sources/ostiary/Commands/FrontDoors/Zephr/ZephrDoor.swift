import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr

/// The front door of a profile.
struct ZephrDoor {
    let zephr: Zephr

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
        zephr = Zephr(
            try ZephrConfiguration(
                site: ZephrSite(configuration["site"]?.string ?? ""),
                redirectURI: configuration["redirect_uri"]?.string ?? ""
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
    func session() async throws -> ZephrSession {
        guard let session = try await zephr.restoreSession() else { throw SignInError(.storage, .signInRequired) }
        return session
    }
}
