public import OstiaryOAuth

/// The extent of a sign-out; the session on this device ends in any case.
public enum SignOutPolicy: Sendable, Hashable {
    /// Only on this device: the provider is not notified, and the refresh token stays valid until it expires.
    case local
    /// The refresh token is revoked, or the access token of a session that has no other (RFC 7009).
    case revoke
    /// The tokens are revoked as well, and the provider's own session is ended, for which a page is presented (OpenID
    /// Connect RP-Initiated Logout).
    case endSession(EndSessionRequest)
}

/// The provider's response to a sign-out.
///
/// The session has ended here in any case.
public struct SignOutReport: Sendable, Hashable {
    /// The outcome of a revocation.
    public enum Revocation: String, Sendable, Hashable {
        /// The server confirmed it, or the policy requested none.
        case done
        /// The server has no way to revoke this token; the sign-out is complete without it.
        case notOffered
        /// The token may still be valid.
        case failed
    }

    /// The outcome of the revocation; ``revocationFailure`` has the reason.
    public var revocation: Revocation {
        guard let revocationFailure else { return .done }
        if case .unsupported = revocationFailure.reason { return .notOffered }
        return .failed
    }

    /// The reason the refresh token, or the only access token, could not be revoked; `nil` when it was.
    public var revocationFailure: SignInError?
    /// Whether the token that could not be revoked is kept, sealed as the session was, to try again later.
    ///
    /// ``SignInClient/retryRevocations()`` does it, and so does the next sign-in.
    public var willRetryRevocation = false
    /// The reason the provider's own session may not have ended.
    public var endSessionFailure: SignInError?
    /// Whether the provider confirmed that its own session has ended.
    public var endedProviderSession = false

    init() {}
}
