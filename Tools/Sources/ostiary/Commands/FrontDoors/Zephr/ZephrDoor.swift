import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr
import ProviderServer

/// The front door of a profile.
struct ZephrDoor: FrontDoor {
    static let system = VendorSystem.zephr

    let zephr: Zephr

    /// Makes the front door from its configuration.
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

    /// The stored session, if there is one.
    func restored() async throws -> ZephrSession? { try await zephr.restoreSession() }
}
