import ServiceLifecycle

/// A service that listens, until it is stopped or the process ends.
public final class RunningBackend: Sendable {
    /// The port that it listens on.
    public let port: Int
    /// The port of `/metrics` and `/ready`; `nil` where they are beside the rest.
    public let adminPort: Int?
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(port: Int, adminPort: Int?, group: ServiceGroup, task: Task<Void, any Error>) {
        self.port = port
        self.adminPort = adminPort
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
