import OstiaryCompatibility
import OstiaryOAuth

/// The queue of refresh tokens to revoke: a few are sent to the issuer at a time, and the others wait, the newest
/// first.
///
/// A user who signs out everywhere, or an issuer that ends many sessions at once, does not cause a hundred connections.
final class RevocationQueue: Sendable {
    /// A refresh token to revoke.
    struct Entry: Sendable {
        let token: Secret
        /// The revocation as it is stored; `nil` where the store was away.
        let stored: PendingRevocation?
    }

    /// The result of adding a token.
    enum Addition {
        /// A running worker will process it, or the same one that waits already.
        case queued
        /// The caller starts another worker.
        case needsWorker
        /// The queue is full, and the token was not added.
        case full
    }

    private struct State {
        var entries: [Entry] = []
        /// The names of the stored ones that wait.
        var names: Set<StoreDigest> = []
        var workers = 0
    }

    private static let maximumWorkers = 4
    private static let maximumLength = 10_000
    private let state = Lock(State())

    /// The number of tokens that wait.
    var count: Int { state.withLock { $0.entries.count } }

    /// Adds a token.
    func add(_ entry: Entry) -> Addition {
        state.withLock { state in
            guard state.entries.count < Self.maximumLength else { return .full }
            if let name = entry.stored?.name {
                guard state.names.insert(name).inserted else { return .queued }
            }
            state.entries.append(entry)
            guard state.workers < Self.maximumWorkers else { return .queued }
            state.workers += 1
            return .needsWorker
        }
    }

    /// The next token for a worker; `nil` ends that worker.
    func next() -> Entry? {
        state.withLock { state in
            guard let entry = state.entries.popLast() else {
                state.workers -= 1
                return nil
            }
            if let name = entry.stored?.name { state.names.remove(name) }
            return entry
        }
    }

    /// Removes the waiting tokens.
    ///
    /// - Returns: Those tokens.
    func removeAll() -> [Entry] {
        state.withLock { state in
            defer {
                state.entries = []
                state.names = []
            }
            return state.entries
        }
    }
}
