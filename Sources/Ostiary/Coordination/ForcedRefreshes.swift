import OstiaryCompatibility
import OstiaryOAuth

/// The access tokens that were requested because a resource server rejected unexpired ones.
///
/// When such a token is rejected as well, it is not refreshed again: the resource server would otherwise cause a
/// refresh for each request. Once a server has accepted the token, it is treated like any other.
final class ForcedRefreshes: Sendable {
    private let brought = Lock<[AccessTokenTarget: Secret]>([:])

    /// Whether a token that was refused may be renewed for that.
    func mayRenew(_ refused: Secret, for target: AccessTokenTarget) -> Bool {
        brought.withLock { $0[target] != refused }
    }

    /// Stores the token of such a refresh.
    func note(_ token: Secret, for target: AccessTokenTarget) { brought.withLock { $0[target] = token } }

    /// Forgets a token that a server has taken.
    func forget(_ token: Secret, for target: AccessTokenTarget) {
        brought.withLock { if $0[target] == token { $0[target] = nil } }
    }
}
