import Foundation
import OstiaryOAuth

/// Lets one process at a time use the session of a profile.
///
/// A refresh token is good once. Were two processes to renew the same session at once, the second would show a token that
/// has been used, which a careful server takes for theft and ends the session.
enum ProfileLock {
    /// Does some work with the lock held.
    ///
    /// A folder that is not there or cannot be written holds nothing that could be renewed: nothing is locked then.
    ///
    /// - Throws: What the work throws; `locked` when another process keeps the session for longer than a renewal can
    ///   take, `cancelled` when the task is.
    static func holding<Output>(
        _ profile: ProfileName,
        at store: StoreLocation,
        _ work: () async throws -> Output
    ) async throws -> Output {
        guard let folder = store.lockFolder else { return try await work() }
        let path = folder.appending(path: "\(profile).lock").path
        let file = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard file >= 0 else { return try await work() }
        // Closing it gives the lock back, as the end of the process does.
        defer { close(file) }
        try await lock(file)
        return try await work()
    }

    private static func lock(_ file: Int32) async throws(SignInError) {
        let end = ContinuousClock.now + patience
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard ContinuousClock.now < end else { throw SignInError(.storage, .storage(.locked)) }
            do {
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                throw SignInError(.storage, .cancelled)
            }
        }
    }

    /// Two exchanges with their deadlines, and some time to store what they brought.
    private static let patience = Duration.seconds(40)
}
