import OstiaryOAuth
import Synchronization

/// Which access tokens were bought because a resource server refused the ones before, though they had not expired.
///
/// Such a token is not renewed again when it is refused, too: the resource server does not want to be satisfied, and would
/// cause a refresh for each request. Once a server has taken it, it is a token as any other.
final class ForcedRefreshes: Sendable {
    private let brought = Mutex<[AccessTokenTarget: Secret]>([:])

    /// Whether a token that was refused may be renewed for that.
    func mayRenew(_ refused: Secret, for target: AccessTokenTarget) -> Bool {
        brought.withLock { $0[target] != refused }
    }

    /// Remembers what such a refresh brought.
    func note(_ token: Secret, for target: AccessTokenTarget) { brought.withLock { $0[target] = token } }

    /// Forgets a token that a server has taken.
    func forget(_ token: Secret, for target: AccessTokenTarget) {
        brought.withLock { if $0[target] == token { $0[target] = nil } }
    }
}
