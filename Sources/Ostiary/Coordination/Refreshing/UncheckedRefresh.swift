import OstiaryOAuth

/// The response to a refresh, before its checks.
enum UncheckedRefresh: Sendable {
    case response(UncheckedResponse)
    /// A malformed response: none of it may be handed out, but the session keeps its refresh token.
    case malformed(SignInError, RefreshSuccessor)
}
