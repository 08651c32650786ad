public import Backend
public import Logging
import Metrics
import OstiaryOAuth
import OstiaryValkey
import Synchronization

extension RequestStore {
    /// Describes the store of a configuration in Valkey, with the service's log and metrics; nothing connects yet.
    ///
    /// - Parameters:
    ///   - settings: The server.
    ///   - proofs: The number of proofs of one key that are remembered.
    ///   - logger: The log for failures.
    /// - Returns: The store.
    /// - Throws: `SignInError`, with a sentence that names the fix.
    @Sendable
    public static func valkey(
        _ settings: ReplaysAndLimitsSettings,
        proofsPerKey proofs: Int,
        logger: Logger
    ) throws -> RequestStore {
        var configuration = try ValkeyConfiguration(
            host: settings.host,
            port: settings.port,
            user: settings.user,
            password: settings.password,
            security: settings.certificateAuthorities.map { .verified(certificateAuthorities: $0) } ?? .none
        )
        configuration.connections = settings.connections
        configuration.timeLimit = settings.timeLimit
        configuration.keyPrefix = settings.keyPrefix
        let store = ValkeyStore(configuration, replayRoom: proofs) { failure in
            Counter(label: "ostiary_store_failures", dimensions: [("failure", "valkey_\(failure.name)")]).increment()
            logger.error("store of replays and limits", metadata: ["failure": .string(failure.description)])
        }
        let hasWarned = Atomic(false)
        return RequestStore(
            store,
            check: {
                let isPersistent = try await store.check()
                guard !isPersistent, !hasWarned.exchange(true, ordering: .relaxed) else { return }
                logger.warning(
                    "Valkey has appendonly no: after its restart, proofs of the last minutes could be replayed. Run: valkey-cli config set appendonly yes"
                )
            },
            close: { store.close() }
        )
    }
}
