extension ServerSessions {
    /// A new session, the outcome of a refresh, or a shortcoming of a session, for metrics and logs.
    ///
    /// It contains neither a secret nor a user's name.
    public enum Event: String, Sendable, Hashable, CaseIterable {
        /// A user has signed in: a session began.
        case began
        /// A session began without a refresh token: it ends with its access token.
        ///
        /// Most issuers issue one for the scope `offline_access`, some of them only with `prompt=consent` (OpenID
        /// Connect Core section 11).
        case notRenewable
        /// A session of a browser began without the claims of the UserInfo endpoint, which did not return them.
        case withoutUserInfo
        /// A session has ended, and the issuer has not confirmed the revocation of its refresh token, which is attempted again
        /// later.
        case revocationDelayed
        /// A session has ended, and its refresh token was not revoked at the issuer: no further attempt is made.
        case notRevoked
        /// The session was refreshed.
        case renewed
        /// Another instance refreshed the session meanwhile.
        case waited
        /// The session could not be refreshed now, and its access token was still valid for some seconds.
        case stale
        /// The session could not be refreshed now, and is unchanged.
        case failed
        /// The issuer's response failed a check or was malformed: none of its tokens is used, and its refresh token is
        /// kept unless the response is about another session.
        case unusable
        /// The session has ended: the issuer rejected its refresh token.
        case ended
        /// The session has ended: the result of its refresh is unknown.
        case lost
    }
}
