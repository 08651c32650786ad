public import OstiaryOAuth
public import OstiaryProvider
import ServiceLifecycle

/// A provider that listens, until it is stopped or the process ends.
public final class RunningProvider: Sendable {
    /// The issuer identifier, to give to clients.
    public let issuer: Issuer
    /// The port that it listens on.
    public let port: Int
    /// The provider itself.
    public let provider: Provider
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(issuer: Issuer, port: Int, provider: Provider, group: ServiceGroup, task: Task<Void, any Error>) {
        self.issuer = issuer
        self.port = port
        self.provider = provider
        self.group = group
        self.task = task
    }

    /// Takes no more connections, lets requests that have begun come to their end for up to 5 seconds, and frees the
    /// port.
    public func stop() async {
        await group.triggerGracefulShutdown()
        _ = await task.result
    }

    /// Waits until the server has ended, by ``stop()`` or by a signal.
    ///
    /// - Throws: ``ProviderServerError/stopped(reason:)`` when it ended for another reason.
    public func untilStopped() async throws(ProviderServerError) {
        if case .failure(let error) = await task.result { throw .stopped(reason: String(describing: error)) }
    }
}
