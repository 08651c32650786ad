public import Logging
public import OstiaryOAuth
import OstiarySSAFYServer
import OstiaryServer

extension BackendServer {
    /// The outcome of ``forget(_:at:_:logger:)``.
    public struct Forgotten: Sendable, Hashable {
        /// The number of sessions that were ended.
        public let sessions: Int
        /// Whether there was a verification, which was removed.
        public let hadVerification: Bool
    }

    /// Ends every session of a user, and removes what is stored about the user.
    ///
    /// Running instances notice it at once; they go on revoking refresh tokens that the issuer has not revoked meanwhile.
    ///
    /// - Parameters:
    ///   - subject: The user's identifier (`sub`).
    ///   - issuer: The issuer of the subject. Default: the one of a configuration with one issuer.
    ///   - configuration: The service's configuration.
    ///   - logger: The service's log.
    /// - Returns: The number of ended sessions, and whether there was a verification.
    /// - Throws: ``BackendConfigurationError`` for a store in memory, for an issuer that the configuration does not
    ///   have, and without an issuer where it has several; nothing was done then. Another error of the configuration or
    ///   the store; the command can be repeated.
    public static func forget(
        _ subject: String,
        at issuer: Issuer? = nil,
        _ configuration: BackendConfiguration,
        logger: Logger
    ) async throws -> Forgotten {
        if case .memory = configuration.store {
            throw BackendConfigurationError(
                "store",
                "No other process can reach the store in memory: restart the service to empty it."
            )
        }
        let store = try BackendStore(configuration.store, logger: logger)
        do {
            try await store.check()
            let routes = try BackendRoutes(configuration, store: store, logger: logger)
            let issuers = routes.issuers
            // The subject of another issuer may be another user.
            guard let meant = issuer ?? (issuers.count == 1 ? issuers.first : nil), issuers.contains(meant) else {
                let names = issuers.map(\.description).joined(separator: ", ")
                let found = issuer.map { "The configuration does not have the issuer \($0)" }
                throw BackendConfigurationError(
                    "",
                    "\(found ?? "The configuration has several issuers"): pass one of its issuers (\(names)) with --issuer."
                )
            }
            let sessions = try await routes.endSessions(of: subject, at: meant)
            var hadVerification = false
            if issuers.count == 1 || meant == configuration.handoff?.configuration.issuer {
                hadVerification = try await store.store.verification(of: subject) != nil
                try await store.store.removeVerification(of: subject)
            }
            await routes.settle()
            await store.close()
            return Forgotten(sessions: sessions, hadVerification: hadVerification)
        } catch {
            await store.close()
            throw error
        }
    }
}
