import OstiaryOAuth

/// The response to a refresh, before its checks.
enum UncheckedRefresh: Sendable {
    case response(UncheckedResponse)
    /// Nothing of it may be handed out; the refresh token that it leaves is kept.
    case malformed(SignInError, RefreshSuccessor<Secret>)
}
