import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import Metrics
import NIOCore
import OstiaryHummingbird
import ServiceLifecycle
import Tracing
import UnixSignals

/// Runs the service that a configuration describes.
public enum BackendServer {
    /// The event that ends the service besides ``RunningBackend/stop()``.
    public enum Ending: Sendable, Hashable {
        /// None: for tests, and for commands that end by themselves.
        case onRequest
        /// SIGINT and SIGTERM.
        case onSignals
    }

    /// Checks everything that needs no connection: the configuration, and the files that it names.
    ///
    /// - Parameters:
    ///   - configuration: The service's configuration.
    ///   - open: As in ``start(_:ending:requests:tracing:logger:)``.
    /// - Throws: ``BackendConfigurationError`` and ``BackendFailure``, which name the fix.
    public static func check(
        _ configuration: BackendConfiguration,
        requests open: RequestStore.Opening? = nil
    ) async throws {
        _ = try configuration.certificate.map { try CertificateStore($0) }
        let quiet = Logger(label: "ostiary.backend", factory: { _ in SwiftLogNoOpLogHandler() })
        await (try RequestStore(configuration, open, quiet))?.close()
        _ = try BackendRoutes(configuration, store: .init(.memory), logger: quiet)
    }

    /// Opens the store, migrates it if the configuration allows, and listens.
    ///
    /// - Parameters:
    ///   - configuration: The service's configuration.
    ///   - ending: The event that ends the service. Default: ``Ending/onRequest``.
    ///   - open: Opens the store of `replays_and_limits`. Default: a configuration with one is rejected.
    ///   - tracing: The tracer of the service's spans, and their export. Default: no spans are recorded, and trace contexts are
    ///     passed on unchanged.
    ///   - logger: The service's log, which never contains a query, a token or a body.
    /// - Returns: The running service.
    /// - Throws: An error of the configuration, the store or the address; nothing listens then.
    public static func start(
        _ configuration: BackendConfiguration,
        ending: Ending = .onRequest,
        requests open: RequestStore.Opening? = nil,
        tracing: ServiceTracing? = nil,
        logger: Logger
    ) async throws -> RunningBackend {
        let store = try BackendStore(
            configuration.store,
            requests: RequestStore(configuration, open, logger),
            proofsPerKey: configuration.proofsPerKey,
            tracer: tracing?.tracer,
            logger: logger
        )
        do {
            if configuration.migration == .onStart { try await store.migrate() }
            try await store.check()
            return try await serve(configuration, store, ending, tracing, logger)
        } catch {
            await store.close()
            throw error
        }
    }

    private static func serve(
        _ configuration: BackendConfiguration,
        _ store: BackendStore,
        _ ending: Ending,
        _ tracing: ServiceTracing?,
        _ logger: Logger
    ) async throws -> RunningBackend {
        _ = propagation
        let routes = try BackendRoutes(configuration, store: store, tracer: tracing?.tracer, logger: logger)
        await routes.warm()
        // No request is served by an instance that has not read earlier revocations.
        try await routes.revocations.read()
        for warning in configuration.warnings { logger.warning("\(warning)") }
        let certificates = try configuration.certificate.map { try CertificateStore($0) }
        let ports = Ports()
        var below = logger
        below.logLevel = max(logger.logLevel, .warning)
        let plain = HTTPServerBuilder.http1(configuration: connections(of: configuration))
        let application = Application(
            router: routes.router(metrics: metrics),
            server: try certificates.map { try .tls(plain, tlsConfiguration: $0.configuration) } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listening.address, port: configuration.listening.port),
                serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.maximumConnections)
            ),
            onServerRunning: { ports.note($0, as: .world) },
            logger: logger
        )
        var all: [any Service] = [
            Cleanup(store: store.store, logger: logger), RevocationReading(revocations: routes.revocations),
        ]
        if !routes.sessions.isEmpty { all.append(PendingRevocations(sessions: routes.sessions)) }
        all.append(
            ListeningServer(
                server: application,
                address: "\(configuration.listening.address) port \(configuration.listening.port)",
                isBound: { ports.isBound(.world) }
            )
        )
        if let admin = configuration.admin {
            let server = Application(
                router: routes.adminRouter(metrics: metrics),
                server: plain,
                configuration: ApplicationConfiguration(
                    address: .hostname(admin.address, port: admin.port),
                    serverName: nil
                ),
                onServerRunning: { ports.note($0, as: .admin) },
                logger: logger
            )
            all.append(
                ListeningServer(
                    server: server,
                    address: "\(admin.address) port \(admin.port)",
                    isBound: { ports.isBound(.admin) }
                )
            )
        }
        var services = ServiceGroupConfiguration(
            services: all,
            gracefulShutdownSignals: ending == .onSignals ? [.sigint, .sigterm] : [],
            logger: below
        )
        if let tracing {
            // It ends last, with the spans of the last requests.
            let export = ServiceGroupConfiguration.ServiceConfiguration(
                service: tracing.export,
                successTerminationBehavior: .ignore,
                failureTerminationBehavior: .ignore
            )
            services.services.insert(export, at: 0)
        }
        services.maximumGracefulShutdownDuration = configuration.drainingTime
        let group = ServiceGroup(configuration: services)
        let task = Task {
            defer { ports.finish() }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await group.run()) } catch { outcome = .failure(error) }
            // Tokens of refreshes and code grants in progress are stored before the store closes.
            await routes.settle()
            await store.close()
            try outcome.get()
        }
        guard let bound = await ports.all(configuration.admin == nil ? [.world] : [.world, .admin]) else {
            await group.triggerGracefulShutdown()
            try await task.value
            throw CancellationError()
        }
        return RunningBackend(
            port: bound[.world] ?? 0,
            adminPort: bound[.admin],
            group: group,
            task: task,
            configuration: configuration,
            certificates: certificates
        )
    }

    /// The process's metrics, created with the first service and used by the libraries through the global metrics
    /// system.
    private static let metrics: PrometheusMetrics = {
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()

    /// The process's instrument, set with the first service.
    private static let propagation: Void = InstrumentationSystem.bootstrap(TraceContextPropagation())

    /// The limits of a connection: a larger header is answered with 400, and a connection is closed that is idle or slow, or
    /// whose client asks for another protocol.
    private static func connections(of configuration: BackendConfiguration) -> HTTP1Channel.Configuration {
        let limit = configuration.requestTime
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadlineHandler(limit), UpgradeRefusalHandler()],
            idleTimeout: TimeAmount(limit),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: 32 * 1024,
                maxHeaderListSize: 64 * 1024,
                maxHeaderFieldCount: 100
            )
        )
    }
}

/// A server whose failure to listen names its own address, and not that of another server that has not begun yet.
private struct ListeningServer<Server: Service>: Service {
    let server: Server
    /// The address as an operator writes it.
    let address: String
    let isBound: @Sendable () -> Bool

    func run() async throws {
        do {
            try await server.run()
        } catch let error as IOError where !isBound() {
            throw BackendFailure.address(address, error.description)
        }
    }
}
