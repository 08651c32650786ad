import Foundation
import Logging
import OstiaryServer
import ServiceLifecycle

/// Removes what has expired, a batch at a time, as long as the service runs.
struct Cleanup: Service {
    let store: any ServerStore
    let logger: Logger
    /// How many entries a batch has: few, so that no statement holds locks for long.
    let batch = 500
    /// The seconds between two rounds; instances that started together drift apart.
    var pause: @Sendable () -> Double = { Double.random(in: 45...75) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while true {
                do { try await Task.sleep(for: .seconds(pause())) } catch { return }
                await clean()
            }
        }
    }

    private func clean() async {
        var removed = 0
        do {
            while !Task.isCancelled {
                let count = try await store.removeExpired(limit: batch, now: .now)
                removed += count
                guard count == batch else { break }
            }
        } catch {
            logger.warning("cleanup", metadata: ["failure": .string("\(error)")])
        }
        if removed > 0 { logger.debug("cleanup", metadata: ["removed": .stringConvertible(removed)]) }
    }
}
