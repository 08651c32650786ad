public import OstiaryOAuth

/// What an issuer says when it has ended a session of a user. (OpenID Connect Back-Channel Logout 1.0 section 2.4)
///
/// Having one proves that the issuer said it, to this client; that its sessions were not ended by it before.
public struct LogoutToken: Sendable, Hashable {
    /// Who ended it.
    public let issuer: Issuer
    /// Whose it was (`sub`); `nil` when only the session is named.
    public let subject: String?
    /// Which it was (`sid`); `nil` for every session of the subject.
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

/// Why a logout token was refused. (OpenID Connect Back-Channel Logout 1.0 section 2.6)
///
/// It holds nothing of the token.
public enum LogoutTokenFailure: Error, Sendable, Hashable {
    /// A check failed.
    case refused(Check)
    /// The issuer's keys could not be had, so nothing is known of the token.
    case keysUnavailable(SignInError)
    /// It is not known whether the token was shown before, or its sessions could not be ended: it can be sent again.
    case storeUnavailable(StorageFailure)

    /// A check of a logout token, named by the header parameter or claim that it looks at.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// It is not a signed JSON Web Token, or is too long.
        case form
        /// It is a token of another kind.
        case type = "typ"
        /// The signature's algorithm is not allowed.
        case algorithm = "alg"
        /// No key of the issuer fits.
        case key = "kid"
        /// The signature is wrong.
        case signature
        /// Somebody else made it.
        case issuer = "iss"
        /// It is for another client.
        case audience = "aud"
        /// It has expired, or says nothing of it.
        case expiry = "exp"
        /// It is of the future, or says nothing of its making.
        case issuedAt = "iat"
        /// It has no identifier of its own, or a very long one.
        case tokenID = "jti"
        /// It names neither a subject nor a session.
        case subject = "sub"
        /// It does not say that it is about a logout.
        case events
        /// It has a nonce, as ID tokens do.
        case nonce
        /// It was shown before.
        case replayed
    }
}
