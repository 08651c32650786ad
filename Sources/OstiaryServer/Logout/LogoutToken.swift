public import OstiaryOAuth

/// An issuer's notification that it has ended a user's session. (OpenID Connect Back-Channel Logout 1.0 section 2.4)
///
/// It proves that the issuer sent it to this client, and that it was not processed before.
public struct LogoutToken: Sendable, Hashable {
    /// The issuer (`iss`).
    public let issuer: Issuer
    /// The user whose session ended (`sub`); `nil` when only the session is named.
    public let subject: String?
    /// The session that ended (`sid`); `nil` for every session of the subject.
    public let sessionID: String?
    /// The token's own identifier.
    public let tokenID: String
}

extension LogoutToken: CustomStringConvertible, CustomReflectable {
    /// The issuer alone.
    public var description: String { "LogoutToken(\(issuer))" }
    /// The issuer alone.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer.description]) }
}

/// The reason that a logout token was rejected. (OpenID Connect Back-Channel Logout 1.0 section 2.6)
///
/// It contains nothing of the token.
public enum LogoutTokenFailure: Error, Sendable, Hashable {
    /// A check failed.
    case refused(Check)
    /// The issuer's keys are unavailable, so the token cannot be verified.
    case keysUnavailable(SignInError)
    /// The store is unavailable: a replay cannot be excluded, or the sessions could not be ended. The token can be sent
    /// again.
    case storeUnavailable(StorageFailure)

    /// A check of a logout token, named after the header parameter or claim.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// The token is not a signed JSON Web Token, or is too long.
        case form
        /// The token is of another kind.
        case type = "typ"
        /// The signature's algorithm is not allowed.
        case algorithm = "alg"
        /// No key of the issuer matches.
        case key = "kid"
        /// The signature is invalid.
        case signature
        /// The issuer is another one.
        case issuer = "iss"
        /// The token is for another client.
        case audience = "aud"
        /// The token has expired, or has no `exp`.
        case expiry = "exp"
        /// The token was issued in the future, or has no `iat`.
        case issuedAt = "iat"
        /// The token has no identifier, or a very long one.
        case tokenID = "jti"
        /// The token names neither a subject nor a session.
        case subject = "sub"
        /// The token has no back-channel logout event.
        case events
        /// The token has a nonce, as ID tokens do.
        case nonce
        /// The token was processed before.
        case replayed
    }
}
