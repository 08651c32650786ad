import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// The front door of a profile.
struct LogiDoor: FrontDoor {
    static let system = VendorSystem.logi

    let logi: Logi

    /// Makes the front door from its configuration.
    init(
        _ place: FrontDoorPlace,
        _ configuration: JSONObject,
        showing userAgent: any UserAgent,
        telling trace: Trace
    ) throws {
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

    /// The stored session, if there is one.
    func restored() async throws -> Session? { try await logi.restoreSession() }
}
