public import Logging
import OstiaryOAuth
public import OstiaryServer

/// A store of replays and limits beside the service's store.
public struct RequestStore: Sendable {
    /// Describes the store of a configuration; nothing connects yet.
    ///
    /// It is a parameter of the service's start, since not every program that uses this module links a client of such a store.
    public typealias Opening =
        @Sendable (
            _ settings: ReplaysAndLimitsSettings, _ proofsPerKey: Int, _ logger: Logger
        ) throws -> RequestStore

    let store: any ReplayStore & RateLimitStore
    let check: @Sendable () async throws -> Void
    let close: @Sendable () async -> Void

    /// Wraps a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - check: Checks that it answers and keeps what it is given, and throws an error that names the fix.
    ///   - close: Closes it.
    public init(
        _ store: any ReplayStore & RateLimitStore,
        check: @escaping @Sendable () async throws -> Void,
        close: @escaping @Sendable () async -> Void
    ) {
        self.store = store
        self.check = check
        self.close = close
    }

    /// The store of a configuration; `nil` where the service's store keeps replays and limits.
    ///
    /// - Throws: ``BackendConfigurationError``.
    init?(_ configuration: BackendConfiguration, _ open: Opening?, _ logger: Logger) throws {
        guard let settings = configuration.replaysAndLimits else { return nil }
        let member = "replays_and_limits"
        guard let open else {
            throw BackendConfigurationError(member, "This program has no client of Valkey: leave it out.")
        }
        do {
            self = try open(settings, configuration.proofsPerKey, logger)
        } catch let error as SignInError {
            throw BackendConfigurationError(member, error.sentence)
        }
    }
}
