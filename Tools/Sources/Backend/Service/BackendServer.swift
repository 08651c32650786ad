import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import Metrics
import NIOCore
import NIOSSL
import OstiaryHummingbird
import ServiceLifecycle
import UnixSignals

/// The service: configuration in, a socket that answers out.
public enum BackendServer {
    /// What ends the service besides ``RunningBackend/stop()``.
    public enum Ending: Sendable, Hashable {
        /// Nothing: for tests, and for commands that have an end of their own.
        case onRequest
        /// SIGINT and SIGTERM.
        case onSignals
    }

    /// Checks everything that can be checked without connecting: the configuration, and the files that it names.
    ///
    /// - Throws: What is wrong; ``BackendConfigurationError`` and ``BackendFailure`` name the fix.
    public static func check(_ configuration: BackendConfiguration) async throws {
        _ = try configuration.tls()
        _ = try BackendRoutes(configuration, store: .init(.memory), logger: Logger(label: "ostiary.backend"))
    }

    /// Opens the store, brings it to this version if it may, and listens.
    ///
    /// - Parameters:
    ///   - configuration: How it is set up.
    ///   - ending: What else ends it. Default: nothing.
    ///   - logger: Told what happens; never a query, a token or a body.
    /// - Returns: The service, which answers until it is stopped.
    /// - Throws: What is wrong with the configuration, the store or the address; nothing listens then.
    public static func start(
        _ configuration: BackendConfiguration,
        ending: Ending = .onRequest,
        logger: Logger
    ) async throws -> RunningBackend {
        let store = try BackendStore(configuration.store, logger: logger)
        do {
            if configuration.migration == .onStart { try await store.migrate() }
            try await store.check()
            return try await serve(configuration, store, ending, logger)
        } catch {
            await store.close()
            throw error
        }
    }

    private static func serve(
        _ configuration: BackendConfiguration,
        _ store: BackendStore,
        _ ending: Ending,
        _ logger: Logger
    ) async throws -> RunningBackend {
        let routes = try BackendRoutes(configuration, store: store, logger: logger)
        await routes.warm()
        // Not one request is answered by an instance that does not know what was revoked before it started.
        try await routes.revocations.read()
        let (ports, port) = AsyncStream<Int>.makeStream()
        var below = logger
        below.logLevel = max(logger.logLevel, .warning)
        let plain = HTTPServerBuilder.http1(configuration: connections(of: configuration))
        let application = Application(
            router: routes.router(metrics: metrics),
            server: try configuration.tls().map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listening.address, port: configuration.listening.port),
                serverName: nil
            ),
            onServerRunning: { channel in
                if let bound = channel.localAddress?.port { port.yield(bound) }
                port.finish()
            },
            logger: below
        )
        var services = ServiceGroupConfiguration(
            services: [
                Cleanup(store: store.store, logger: logger), RevocationReading(revocations: routes.revocations),
                application,
            ],
            gracefulShutdownSignals: ending == .onSignals ? [.sigint, .sigterm] : [],
            logger: below
        )
        services.maximumGracefulShutdownDuration = .seconds(configuration.drainingTime)
        let group = ServiceGroup(configuration: services)
        let task = Task {
            defer { port.finish() }
            do {
                try await group.run()
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
        guard let bound = await ports.first(where: { _ in true }) else {
            await group.triggerGracefulShutdown()
            try await task.value
            throw CancellationError()
        }
        return RunningBackend(port: bound, group: group, task: task)
    }

    /// The process's metrics, which the kit finds by itself; made with the first service.
    private static let metrics: PrometheusRegistry = {
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()

    /// Limits of a connection: a larger header is answered with 400, and silence and slowness end it.
    private static func connections(of configuration: BackendConfiguration) -> HTTP1Channel.Configuration {
        let limit = Duration.seconds(configuration.requestTime)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadlineHandler(limit)],
            idleTimeout: TimeAmount(limit),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: 32 * 1024,
                maxHeaderListSize: 64 * 1024,
                maxHeaderFieldCount: 100
            )
        )
    }
}

extension BackendConfiguration {
    /// The certificate and key, read; `nil` for a service behind a proxy.
    ///
    /// - Throws: `certificate` for files that cannot be used.
    fileprivate func tls() throws -> TLSConfiguration? {
        guard let certificate else { return nil }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain)
            guard !chain.isEmpty else { throw BackendFailure.certificate(certificate.chain) }
            let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            tls.minimumTLSVersion = .tlsv12
            // Only here is it seen that the key is not the certificate's.
            _ = try NIOSSLContext(configuration: tls)
            return tls
        } catch let failure as BackendFailure {
            throw failure
        } catch {
            throw BackendFailure.certificate("\(certificate.chain), \(certificate.key)")
        }
    }
}
