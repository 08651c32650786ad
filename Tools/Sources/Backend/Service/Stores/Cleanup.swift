import Logging
import OstiaryServer
import ServiceLifecycle

/// Removes expired records while the service runs.
struct Cleanup: Service {
    let store: any ServerStore
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await store.removeExpiredContinuously { result in
                switch result {
                case .success(0): break
                case .success(let count):
                    logger.debug("cleanup", metadata: ["removed": .stringConvertible(count)])
                case .failure(let failure): logger.warning("cleanup", metadata: ["failure": .string("\(failure)")])
                }
            }
        }
    }
}
