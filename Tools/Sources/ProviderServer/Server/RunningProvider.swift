public import OstiaryOAuth
public import OstiaryProvider
import ServiceLifecycle

/// A provider that listens, or several at paths of their own, until they are stopped or the process ends.
public final class RunningProvider: Sendable {
    /// The issuer identifier, to give to clients; of several, the first.
    public let issuer: Issuer
    /// The port that it listens on.
    public let port: Int
    /// The provider itself; of several, the first.
    public let provider: Provider
    /// Every provider, in the order of the paths.
    public let providers: [Provider]
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(
        _ first: ProviderResponder.Served,
        of providers: [Provider],
        port: Int,
        group: ServiceGroup,
        task: Task<Void, any Error>
    ) {
        issuer = first.issuer
        provider = first.provider
        self.providers = providers
        self.port = port
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
