import ServiceLifecycle

/// A service that listens, until it is stopped or the process ends.
public final class RunningBackend: Sendable {
    /// The port that it listens on.
    public let port: Int
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(port: Int, group: ServiceGroup, task: Task<Void, any Error>) {
        self.port = port
        self.group = group
        self.task = task
    }

    /// Takes no more connections, lets requests that have begun come to their end, and frees the port and the store.
    public func stop() async {
        await group.triggerGracefulShutdown()
        _ = await task.result
    }

    /// Waits until the service has ended, by ``stop()`` or by a signal.
    ///
    /// - Throws: What ended it otherwise.
    public func untilStopped() async throws { try await task.value }
}
