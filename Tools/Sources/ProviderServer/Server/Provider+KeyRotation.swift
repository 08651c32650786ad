import Logging
import OstiaryProvider
import UnixSignals

extension Provider {
    /// Replaces the signing keys with each SIGUSR1 until a server has ended.
    ///
    /// - Parameters:
    ///   - server: The task of the server.
    ///   - logger: Called with one line for each rotation, with the identifiers of the new keys.
    func rotateSigningKeysOnSignal(until server: Task<Void, any Error>, logger: Logger) async {
        let signals = await UnixSignalsSequence(trapping: .sigusr1)
        let rotations = Task {
            for await _ in signals {
                do throws(ProviderStorageFailure) {
                    let names = try await rotateSigningKeys()
                    logger.info("rotated", metadata: ["keys": "\(names.joined(separator: " "))"])
                } catch {
                    logger.error("not rotated", metadata: ["failure": "\(error.operation)"])
                }
            }
        }
        Task {
            _ = await server.result
            rotations.cancel()
        }
    }
}
