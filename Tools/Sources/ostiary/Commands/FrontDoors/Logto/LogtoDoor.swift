import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import ProviderServer

/// The front door of a profile.
struct LogtoDoor: FrontDoor {
    static let system = VendorSystem.logto

    let logto: Logto

    /// Makes the front door from its configuration.
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

    /// The stored session, if there is one.
    func restored() async throws -> LogtoSession? { try await logto.restoreSession() }
}
