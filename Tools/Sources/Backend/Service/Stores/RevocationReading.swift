import OstiaryServer
import ServiceLifecycle

/// Reads the other instances' revocations while the service runs.
struct RevocationReading: Service {
    let revocations: SharedRevocations

    func run() async throws {
        await cancelWhenGracefulShutdown { await revocations.run() }
    }
}
