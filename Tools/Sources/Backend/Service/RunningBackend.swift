public import Logging
import OstiaryServer
import ServiceLifecycle
import UnixSignals

/// A running service.
public final class RunningBackend: Sendable {
    /// The port of the public listener.
    public let port: Int
    /// The port of `/metrics` and `/ready`; `nil` where the public listener serves them.
    public let adminPort: Int?
    private let group: ServiceGroup
    private let task: Task<Void, any Error>
    private let configuration: BackendConfiguration
    private let certificates: CertificateStore?

    init(
        port: Int,
        adminPort: Int?,
        group: ServiceGroup,
        task: Task<Void, any Error>,
        configuration: BackendConfiguration,
        certificates: CertificateStore?
    ) {
        self.port = port
        self.adminPort = adminPort
        self.group = group
        self.task = task
        self.configuration = configuration
        self.certificates = certificates
    }

    /// Stops accepting connections, lets open requests finish, and closes the port and the store.
    public func stop() async {
        await group.triggerGracefulShutdown()
        _ = await task.result
    }

    /// Waits until the service has ended, by ``stop()`` or by a signal.
    ///
    /// - Throws: The error that ended the service.
    public func untilStopped() async throws { try await task.value }

    /// Replaces the sealing keys, the clients' secrets and keys, and the certificate with those of a new configuration.
    ///
    /// Other settings need a restart. Open requests and connections keep the values that they began with.
    ///
    /// - Throws: ``BackendConfigurationError`` for a client that was removed or authenticates by another method, and
    ///   ``BackendFailure/certificate(_:)``; nothing has changed then.
    public func reload(_ new: BackendConfiguration) throws {
        let credentials = new.credentials
        for (name, own) in configuration.credentials {
            guard let other = credentials[name] else {
                throw BackendConfigurationError(
                    name,
                    "The client was removed, which a reload cannot do: restart the service."
                )
            }
            guard other.method == own.method else {
                throw BackendConfigurationError(
                    name,
                    "The client authenticates by \(other.method) instead of \(own.method): restart the service."
                )
            }
        }
        guard (new.certificate == nil) == (configuration.certificate == nil) else {
            throw BackendConfigurationError("tls", "A reload cannot turn TLS on or off: restart the service.")
        }
        let certificate = try new.certificate.map { try CertificateStore($0) }
        configuration.sealing.replace(with: new.sealing)
        for (name, own) in configuration.credentials { if let other = credentials[name] { own.replace(with: other) } }
        if let certificate { certificates?.replace(with: certificate) }
    }

    /// Reloads on every SIGHUP, until the service has ended.
    ///
    /// - Parameters:
    ///   - read: Reads the configuration.
    ///   - logger: The log for the result. After a failed reload the service keeps its values.
    public func reloadOnHangUp(
        reading read: @escaping @Sendable () throws -> BackendConfiguration,
        logger: Logger
    ) async {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let reloads = Task {
            for await _ in signals {
                do {
                    try reload(read())
                    logger.notice("reloaded: sealing keys, clients' secrets and certificate")
                } catch {
                    logger.error(
                        "reload failed; the earlier settings stay in effect",
                        metadata: ["failure": .string("\(error)")]
                    )
                }
            }
        }
        Task {
            _ = await task.result
            reloads.cancel()
        }
    }
}
