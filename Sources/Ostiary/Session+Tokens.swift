public import OstiaryOAuth

extension Session {
    /// The current tokens, for an app that passes one on.
    ///
    /// The next refresh replaces them, so do not store them; call `accessToken(for:minimumValidity:)` for each
    /// request. A refresh token that another party uses ends this session where refresh tokens rotate.
    public var tokens: TokenSet { coordinator.tokens }
}
