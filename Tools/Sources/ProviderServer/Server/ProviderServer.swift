import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import OstiaryHummingbird
public import OstiaryOAuth
public import OstiaryProvider
import ServiceLifecycle
import UnixSignals

/// A socket in front of a ``Provider``: HTTP in, requests as values through, pages and JSON out.
public enum ProviderServer {
    /// The event that ends the server, besides ``RunningProvider/stop()``.
    public enum Ending: Sendable, Hashable {
        /// Nothing: for tests and for commands that have an end of their own.
        case onRequest
        /// SIGINT and SIGTERM, for a command that runs until it is stopped. SIGUSR1 replaces the signing keys.
        case onSignals
    }

    /// Listens, then makes the provider, since its issuer contains the port, and goes on with the logout tokens that a
    /// former process has left (``Provider/resumeLogouts()``).
    ///
    /// - Parameters:
    ///   - address: The address to listen on. Default: this machine, any free port.
    ///   - issuer: The issuer identifier when it is not the address itself, for example behind a proxy.
    ///   - paths: The paths of the issuers below that identifier, such as `/tenants/a`: each has a provider of its own.
    ///     None is that of another in any case of its letters, nor begins with another and the path of an endpoint.
    ///     Default: one issuer, without a further path.
    ///   - tls: The certificate to present; the issuer is an https URL then. Default: plain HTTP.
    ///   - pages: The renderer of pages, in place of the provider's own; `nil` for this module's.
    ///   - ending: A further event that ends the server. Default: none.
    ///   - delay: Awaited with the path of each request, after the provider's work and before the response is sent, for
    ///     tests of late responses. Default: none.
    ///   - logger: Called with one line for each request: method, path and status, never a query, a field or a body.
    ///   - makeProvider: Makes the provider of an issuer, with a storage of its own; called for one after the other.
    ///     Requests that arrive before it is done get 503.
    /// - Returns: The server, which responds to requests until it is stopped.
    /// - Throws: ``ProviderServerError`` when the address cannot be used; the error of `makeProvider`;
    ///   ``ProviderStorageFailure``; `CancellationError`. Nothing listens then.
    public static func start(
        at address: ProviderAddress = .loopback(),
        issuer: Issuer? = nil,
        paths: [String] = [""],
        tls: ProviderTLS? = nil,
        pages: (any PageRenderer)? = nil,
        ending: Ending = .onRequest,
        delay: @escaping @Sendable (_ path: String) async -> Void = { _ in },
        logger: Logger = Logger(label: "ostiary.provider", factory: { _ in SwiftLogNoOpLogHandler() }),
        makeProvider: (Issuer) async throws -> Provider
    ) async throws -> RunningProvider {
        guard address.isLoopback || issuer != nil else { throw ProviderServerError.issuerRequired }
        let paths = paths.isEmpty ? [""] : paths
        for (place, path) in paths.enumerated() {
            // Their stores are one file where file names have no case.
            let isTaken = paths.prefix(place).contains { $0.lowercased() == path.lowercased() }
            guard path.isIssuerPath, !isTaken, !paths.contains(where: path.isServed(below:)) else {
                throw ProviderServerError.issuerPath(path)
            }
        }
        let responder = ProviderResponder(delay: delay, logger: logger)
        let plain = HTTPServerBuilder.http1(configuration: connections)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            responder: responder,
            server: try tls.map { try .tls(plain, tlsConfiguration: $0.configuration()) } ?? plain,
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
            // Either the server has ended already, or the caller was cancelled and could never stop it.
            await group.triggerGracefulShutdown()
            let reason = await task.failure
            try Task.checkCancellation()
            throw ProviderServerError.cannotListen(on: "\(address.host):\(address.port)", reason: reason)
        }
        do {
            let first = try issuer ?? Issuer("http\(tls == nil ? "" : "s")://\(address.host):\(bound)")
            var all: [ProviderResponder.Served] = []
            for path in paths {
                let issuer = path.isEmpty ? first : try Issuer(first.withoutLastSlash + path)
                let provider = try await makeProvider(issuer)
                let hosts = address.isLoopback ? HostNames(issuer: issuer, address: address.host, port: bound) : nil
                let pages = try pages ?? MustachePageRenderer(issuer: issuer)
                let inspector = Inspector(of: provider, isLoopback: address.isLoopback)
                all.append(
                    ProviderResponder.Served(
                        provider: provider,
                        issuer: issuer,
                        hosts: hosts,
                        pages: pages,
                        inspector: inspector
                    )
                )
            }
            responder.serve(all)
            for served in all {
                // Not before: a client that receives a logout token reads the key set.
                try await served.provider.resumeLogouts()
                if ending == .onSignals {
                    await served.provider.rotateSigningKeysOnSignal(until: task, logger: logger)
                }
            }
            return RunningProvider(all[0], of: all.map(\.provider), port: bound, group: group, task: task)
        } catch {
            await group.triggerGracefulShutdown()
            _ = await task.result
            throw error
        }
    }

    /// Limits of a connection: a header larger than this is answered with 400, and silence ends it, as does a request
    /// for another protocol.
    private static var connections: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: [UpgradeRefusalHandler()],
            idleTimeout: .seconds(30),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: 16 * 1024,
                maxHeaderListSize: 32 * 1024,
                maxHeaderFieldCount: 100
            )
        )
    }
}

extension String {
    /// Whether the text is a path that an issuer may have below another, or empty.
    fileprivate var isIssuerPath: Bool {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        guard !isEmpty else { return true }
        return hasPrefix("/")
            && dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && ![".", "..", ".well-known"].contains(part) && part.allSatisfy(plain.contains)
            }
    }

    /// The first parts of the paths that an issuer serves below its own.
    private static let served: Set<String> = Set(
        (["/admin", "/health", "/inspector"] + Route.allCases.map(\.rawValue) + Array(PageFile.served.keys)).map {
            path in
            String(path.dropFirst().prefix { $0 != "/" })
        }
    )

    /// Whether requests for the path, or for one below it, may be for an endpoint or a file of another issuer.
    fileprivate func isServed(below issuer: String) -> Bool {
        guard hasPrefix(issuer + "/") else { return false }
        return Self.served.contains(String(dropFirst(issuer.count + 1).prefix { $0 != "/" }))
    }
}

extension Issuer {
    fileprivate var withoutLastSlash: String {
        description.hasSuffix("/") ? String(description.dropLast()) : description
    }
}

extension Logger {
    /// The logger of the HTTP server, whose lines about single connections are not useful here.
    fileprivate var quiet: Logger {
        var logger = self
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}

extension Task where Failure == any Error {
    /// The failure of the task, in the system's words.
    var failure: String {
        get async {
            switch await result {
            case .success: "it ended"
            case .failure(let error as IOError): String(cString: strerror(error.errnoCode))
            case .failure(let error): String(describing: error)
            }
        }
    }
}
