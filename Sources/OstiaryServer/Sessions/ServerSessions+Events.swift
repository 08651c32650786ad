extension ServerSessions {
    /// The outcome of a refresh, or a shortcoming of a new session, for metrics and logs.
    ///
    /// Nothing in it is secret, or somebody's name.
    public enum Event: String, Sendable, Hashable, CaseIterable {
        /// A session began without a refresh token: it ends with its access token.
        ///
        /// Most issuers give one for the scope `offline_access`, some of them only with `prompt=consent` (OpenID Connect Core
        /// section 11).
        case notRenewable
        /// A session of a browser began without the claims of the UserInfo endpoint, which did not return them.
        case withoutUserInfo
        /// A session has ended, and its refresh token could not be revoked at the issuer.
        case notRevoked
        /// It was renewed.
        case renewed
        /// Another instance renewed it meanwhile.
        case waited
        /// It could not be renewed now, and was good for some seconds yet.
        case stale
        /// It could not be renewed now; the session is as it was.
        case failed
        /// The issuer's answer failed a check or was malformed: none of its tokens is used, and its refresh token is kept
        /// unless the answer is about another session.
        case unusable
        /// The session has ended: the issuer says so.
        case ended
        /// The session has ended: nobody knows what came of its refresh token.
        case lost
    }
}
