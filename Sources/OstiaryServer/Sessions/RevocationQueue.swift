import OstiaryCompatibility
import OstiaryOAuth

/// The queue of refresh tokens to revoke: a few are sent to the issuer at a time, and the others wait, the newest
/// first.
///
/// A user who signs out everywhere, or an issuer that ends many sessions at once, does not cause a hundred connections.
final class RevocationQueue: Sendable {
    /// The result of adding a token.
    enum Addition {
        /// A running worker will process it.
        case queued
        /// The caller starts another worker.
        case needsWorker
        /// The queue is full, and the token was not added.
        case full
    }

    private struct State {
        var tokens: [Secret] = []
        var workers = 0
    }

    private static let maximumWorkers = 4
    private static let maximumLength = 10_000
    private let state = Lock(State())

    /// Adds a token.
    func add(_ token: Secret) -> Addition {
        state.withLock { state in
            guard state.tokens.count < Self.maximumLength else { return .full }
            state.tokens.append(token)
            guard state.workers < Self.maximumWorkers else { return .queued }
            state.workers += 1
            return .needsWorker
        }
    }

    /// The next token for a worker; `nil` ends that worker.
    func next() -> Secret? {
        state.withLock { state in
            guard let token = state.tokens.popLast() else {
                state.workers -= 1
                return nil
            }
            return token
        }
    }

    /// Removes the waiting tokens.
    ///
    /// - Returns: Their number.
    func removeAll() -> Int {
        state.withLock { state in
            defer { state.tokens = [] }
            return state.tokens.count
        }
    }
}
