import OstiaryServer
import ServiceLifecycle

/// Reads what the other instances have revoked, as long as the service runs.
struct RevocationReading: Service {
    let revocations: SharedRevocations

    func run() async throws {
        await cancelWhenGracefulShutdown { await revocations.run() }
    }
}
