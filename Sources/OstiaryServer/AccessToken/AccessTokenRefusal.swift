public import HTTPTypes
public import OstiaryOAuth

/// Why an access token was refused: the check that it failed, and what a client is told.
///
/// It holds nothing of the token but its `typ`.
public struct AccessTokenRefusal: Error, Sendable, Hashable {
    /// A check of an access token, named by the header parameter or claim that it looks at.
    ///
    /// One security rule, one case, one test.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// It is not a signed JSON Web Token, or a very large one (RFC 9068 section 2).
        case form
        /// It is a token of another kind, such as an ID token (RFC 9068 section 4, RFC 8725 section 3.11).
        case type = "typ"
        /// The signature's algorithm is not allowed (RFC 9068 section 4, RFC 8725 section 3.1).
        case algorithm = "alg"
        /// The token has an extension that must be understood (RFC 7515 section 4.1.11).
        case critical = "crit"
        /// No key of the issuer fits (RFC 9068 section 4).
        case key = "kid"
        /// The signature is wrong (RFC 9068 section 4).
        case signature
        /// Somebody else made it (RFC 9068 section 4).
        case issuer = "iss"
        /// It is for another resource server (RFC 9068 section 4).
        case audience = "aud"
        /// It has expired, or says nothing of it (RFC 9068 section 4).
        case expiry = "exp"
        /// It is not valid yet (RFC 7519 section 4.1.5).
        case notBefore = "nbf"
        /// It is of the future, or says nothing of its making (RFC 9068 section 2.2).
        case issuedAt = "iat"
        /// It is about nobody (RFC 9068 section 2.2).
        case subject = "sub"
        /// It does not say which client it was made for (RFC 9068 section 2.2).
        case clientID = "client_id"
        /// It has no identifier of its own (RFC 9068 section 2.2).
        case tokenID = "jti"
        /// It is bound to a key, and came without a proof of that key, or the other way round (RFC 9449 section 7.2,
        /// RFC 8705 section 3).
        case confirmation = "cnf"
        /// It is not bound in the way that the route asks for.
        case binding
        /// The issuer says that it is not good: unknown, expired or revoked (RFC 7662 section 2.2). Or it is among the
        /// ``RevokedTokens``.
        case active
        /// The person did not authenticate in one of the ways that the route asks for (RFC 9470).
        case authenticationContext = "acr"
        /// The person authenticated too long ago, or the token does not say when (RFC 9470).
        case authenticationTime = "auth_time"
        /// It does not cover what the route asks for (RFC 6750 section 3.1).
        case scope
    }

    /// The check that failed: the first one, in the order in which they are made.
    public let check: Check

    /// The form of a token that was refused for its `typ` or for the lack of its profile's mark; `nil` for other refusals.
    public let form: Form?

    init(_ check: Check) {
        self.check = check
        form = nil
    }

    init(form: Form) {
        check = .type
        self.form = form
    }

    /// The OAuth error that a client is told: `insufficient_scope` for a good token that covers too little,
    /// `insufficient_user_authentication` for one that asks for another sign-in, and `invalid_token` for all others
    /// (RFC 6750 section 3.1, RFC 9470 section 3).
    public var code: OAuthError.Code {
        switch check {
        case .scope: .insufficientScope
        case .authenticationContext, .authenticationTime: .insufficientUserAuthentication
        default: .invalidToken
        }
    }

    /// 403 for a good token that covers too little, and 401 for all others (RFC 6750 section 3.1).
    public var status: HTTPResponse.Status { check == .scope ? .forbidden : .unauthorized }
}

extension AccessTokenRefusal: CustomStringConvertible {
    /// What is wrong, as a fixed sentence for developers; fit for `error_description`.
    public var description: String {
        switch check {
        case .form: "The access token is not a signed JSON Web Token."
        case .type: "The token is not an access token."
        case .algorithm: "The access token is signed with an algorithm that is not accepted."
        case .critical: "The access token needs an extension that is not understood."
        case .key: "The access token is signed with an unknown key."
        case .signature: "The signature of the access token is wrong."
        case .issuer: "The access token comes from another issuer."
        case .audience: "The access token is for another resource server."
        case .expiry: "The access token has expired."
        case .notBefore: "The access token is not valid yet."
        case .issuedAt: "The access token has no believable time of making."
        case .subject: "The access token has no subject."
        case .clientID: "The access token names no client."
        case .tokenID: "The access token has no identifier."
        case .confirmation: "The access token is bound to a key and came without a proof of it."
        case .binding: "The access token is not bound to a key in the way that this needs."
        case .active: "The access token is not active."
        case .authenticationContext: "The person has to authenticate in another way."
        case .authenticationTime: "The person has to authenticate again."
        case .scope: "The access token does not cover what this needs."
        }
    }
}
