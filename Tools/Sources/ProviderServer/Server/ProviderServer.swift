import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import OstiaryOAuth
public import OstiaryProvider
import ServiceLifecycle
import UnixSignals

/// A socket in front of a ``Provider``: HTTP in, requests as values through, pages and JSON out.
public enum ProviderServer {
    /// What ends the server besides ``RunningProvider/stop()``.
    public enum Ending: Sendable, Hashable {
        /// Nothing: for tests and for commands that have an end of their own.
        case onRequest
        /// SIGINT and SIGTERM, as a command does that runs until it is told to stop.
        case onSignals
    }

    /// Listens, then makes the provider, since its issuer names the port.
    ///
    /// - Parameters:
    ///   - address: Where to listen. Default: this machine, any free port.
    ///   - issuer: The issuer identifier when it is not the address itself, say behind a proxy.
    ///   - pages: What makes pages, whatever the provider itself would make them with; `nil` for this module's pages.
    ///   - ending: What else ends the server. Default: nothing.
    ///   - delay: Awaited with the path of each request after the provider has done what it asks for, and before the answer
    ///     is sent: for tests of what becomes of a late answer. Default: nothing.
    ///   - logger: Told one line for each request: method, path and status, never a query, a field or a body.
    ///   - makeProvider: Makes the provider of an issuer. Requests that come before it is done are answered with 503.
    /// - Returns: The server, which answers requests until it is stopped.
    /// - Throws: ``ProviderServerError`` when the address cannot be used; what `makeProvider` throws; `CancellationError`.
    ///   Nothing listens then.
    public static func start(
        at address: ProviderAddress = .loopback(),
        issuer: Issuer? = nil,
        pages: (any PageRenderer)? = nil,
        ending: Ending = .onRequest,
        delay: @escaping @Sendable (_ path: String) async -> Void = { _ in },
        logger: Logger = Logger(label: "ostiary.provider", factory: { _ in SwiftLogNoOpLogHandler() }),
        makeProvider: (Issuer) async throws -> Provider
    ) async throws -> RunningProvider {
        guard address.isLoopback || issuer != nil else { throw ProviderServerError.issuerRequired }
        let responder = ProviderResponder(delay: delay, logger: logger)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            responder: responder,
            server: .http1(configuration: connections),
            configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
            onServerRunning: { channel in
                if let bound = channel.localAddress?.port { port.yield(bound) }
                port.finish()
            },
            logger: logger.quiet
        )
        var configuration = ServiceGroupConfiguration(
            services: [application],
            gracefulShutdownSignals: ending == .onSignals ? [.sigint, .sigterm] : [],
            logger: logger.quiet
        )
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        let group = ServiceGroup(configuration: configuration)
        let task = Task {
            defer { port.finish() }
            try await group.run()
        }
        guard let bound = await ports.first(where: { _ in true }) else {
            // Either the server has ended already, or the caller was cancelled, and nobody would ever stop it.
            await group.triggerGracefulShutdown()
            let reason = await task.failure
            try Task.checkCancellation()
            throw ProviderServerError.cannotListen(on: "\(address.host):\(address.port)", reason: reason)
        }
        do {
            let issuer = try issuer ?? Issuer("http://\(address.host):\(bound)")
            let provider = try await makeProvider(issuer)
            let hosts = address.isLoopback ? HostNames(issuer: issuer, address: address.host, port: bound) : nil
            let pages = try pages ?? MustachePageRenderer(issuer: issuer)
            responder.serve(ProviderResponder.Served(provider: provider, issuer: issuer, hosts: hosts, pages: pages))
            return RunningProvider(issuer: issuer, port: bound, provider: provider, group: group, task: task)
        } catch {
            await group.triggerGracefulShutdown()
            _ = await task.result
            throw error
        }
    }

    /// Limits of a connection: a header larger than this is answered with 400, and silence ends it.
    private static var connections: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            idleTimeout: .seconds(30),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: 16 * 1024,
                maxHeaderListSize: 32 * 1024,
                maxHeaderFieldCount: 100
            )
        )
    }
}

extension Logger {
    /// The same logger for what lies below: what it says about single connections is of no use here.
    fileprivate var quiet: Logger {
        var logger = self
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}

extension Task where Failure == any Error {
    /// What the task failed with, in the system's words.
    var failure: String {
        get async {
            switch await result {
            case .success: "it ended"
            case .failure(let error): String(describing: error)
            }
        }
    }
}
