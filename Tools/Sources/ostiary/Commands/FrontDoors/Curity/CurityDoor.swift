import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// The front door of a profile.
struct CurityDoor: FrontDoor {
    static let system = VendorSystem.curity

    let curity: Curity

    /// Makes the front door from its configuration.
    init(
        _ place: FrontDoorPlace,
        _ configuration: JSONObject,
        showing userAgent: any UserAgent,
        telling trace: Trace
    ) throws {
        try self.init(place, configuration, initialAccess: .open, showing: userAgent, telling: trace)
    }

    /// Makes the front door from its configuration.
    ///
    /// `initialAccess` is the authorization to register.
    init(
        _ place: FrontDoorPlace,
        _ configuration: JSONObject,
        initialAccess: CurityInitialAccess,
        showing userAgent: any UserAgent,
        telling trace: Trace
    ) throws {
        let registration: CurityRegistration =
            if let template = configuration["template"]?.string {
                .template(template, access: initialAccess)
            } else {
                .describingItself(
                    requiresConsent: configuration["requires_consent"]?.bool,
                    access: initialAccess,
                    additional: configuration["metadata"]?.object ?? [:]
                )
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

    /// The stored session, if there is one.
    func restored() async throws -> CuritySession? { try await curity.restoreSession() }
}
