public import Logging
public import OstiaryOAuth
import OstiarySSAFYServer
import OstiaryServer

extension BackendServer {
    /// Ends every session of a user, and removes what is stored about the user.
    ///
    /// Running instances notice it at once; they go on revoking refresh tokens that the issuer has not revoked meanwhile.
    ///
    /// - Parameters:
    ///   - subject: The user's identifier (`sub`).
    ///   - issuer: The issuer of the subject. Default: every issuer of the configuration.
    ///   - configuration: The service's configuration.
    ///   - logger: The service's log.
    /// - Returns: The number of sessions that were ended.
    /// - Throws: An error of the configuration or the store; the command can be repeated.
    public static func forget(
        _ subject: String,
        at issuer: Issuer? = nil,
        _ configuration: BackendConfiguration,
        logger: Logger
    ) async throws -> Int {
        let store = try BackendStore(configuration.store, logger: logger)
        do {
            try await store.check()
            let routes = try BackendRoutes(configuration, store: store, logger: logger)
            let count = try await routes.endSessions(of: subject, at: issuer)
            // The subject of another issuer may be another user.
            if issuer == nil || issuer == configuration.handoff?.configuration.issuer {
                try await store.store.removeVerification(of: subject)
            }
            await routes.settle()
            await store.close()
            return count
        } catch {
            await store.close()
            throw error
        }
    }
}
