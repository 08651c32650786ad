public import OstiaryOAuth

extension Session {
    /// The tokens as they are at this moment, for an app that hands one on.
    ///
    /// The next refresh replaces them, so do not keep them: ``accessToken(for:minimumValidity:)`` is what to call for a
    /// request. A refresh token that another party uses ends this session where refresh tokens rotate.
    public var tokens: TokenSet { coordinator.tokens }
}
