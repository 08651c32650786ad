public import Ostiary
import OstiaryCompatibility

/// The site of ``BlaizePublic/client``: one for the whole process, under the names of the vendor's own SDK.
///
/// A new app passes a ``ZephrConfiguration`` to a ``Zephr`` instead.
public final class BlaizeConfiguration: Sendable {
    /// The process's configuration.
    public static let shared = BlaizeConfiguration()

    private struct Values {
        var tenantID: String?
        var environment: String?
        var baseURL: String?
        var clientType = "ios"
        var transport: any HTTPTransport = URLSessionTransport()
        var clock = DeviceClock.system
    }

    private let values = Lock(Values())

    private init() {}

    /// The tenant, whose site lies at `https://<tenant>.cdn.blaize.io`.
    public var tenantId: String? {
        get { values.withLock { $0.tenantID } }
        set { values.withLock { $0.tenantID = newValue } }
    }

    /// The environment, such as `staging`; `nil` and `live` select the public one.
    ///
    /// The URLs of the other environments are not documented: set them with ``overrideBaseUrl``.
    public var env: String? {
        get { values.withLock { $0.environment } }
        set { values.withLock { $0.environment = newValue } }
    }

    /// The site's base URL, in place of the one that follows from tenant and environment.
    public var overrideBaseUrl: String? {
        get { values.withLock { $0.baseURL } }
        set { values.withLock { $0.baseURL = newValue } }
    }

    /// The `client_type` of the start request.
    public var clientType: String {
        get { values.withLock { $0.clientType } }
        set { values.withLock { $0.clientType = newValue } }
    }

    /// Sets the HTTP transport and the device's clocks, for tests.
    public func use(transport: any HTTPTransport, clock: DeviceClock = .system) {
        values.withLock {
            $0.transport = transport
            $0.clock = clock
        }
    }

    /// The site's calls.
    func api() throws(ZephrError) -> ZephrAPI {
        let values = values.withLock { $0 }
        return ZephrAPI(
            site: try Self.site(values),
            transport: values.transport,
            context: ExchangeContext(clock: ServerClock(values.clock), random: { SecureRandom() })
        )
    }

    private static func site(_ values: Values) throws(ZephrError) -> ZephrSite {
        if let baseURL = values.baseURL { return try ZephrSite(baseURL) }
        guard let tenantID = values.tenantID else {
            throw ZephrError(.configuration("Set BlaizeConfiguration.shared.tenantId or overrideBaseUrl first."))
        }
        guard values.environment == nil || values.environment == "live" else {
            throw ZephrError(
                .configuration("The base URL of this environment is not documented: set overrideBaseUrl to it.")
            )
        }
        return try ZephrSite(blaizeTenant: tenantID)
    }
}
