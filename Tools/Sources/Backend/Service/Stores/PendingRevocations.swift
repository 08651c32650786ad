import OstiaryServer
import ServiceLifecycle

/// Attempts revocations again that an issuer has not confirmed, as long as the service runs.
struct PendingRevocations: Service {
    /// The sessions of at least one client: a service that ends would end the others.
    let sessions: [ServerSessions]

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                for sessions in sessions { group.addTask { await sessions.revokePendingContinuously() } }
            }
        }
    }
}
