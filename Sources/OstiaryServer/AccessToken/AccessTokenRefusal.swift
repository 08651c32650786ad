public import HTTPTypes
public import OstiaryOAuth

/// A rejected access token: the check that failed, and the error that the client receives.
///
/// Of the token it contains only `typ`.
public struct AccessTokenRefusal: Error, Sendable, Hashable {
    /// A check of an access token, named after the header parameter or claim.
    ///
    /// One security rule, one case, one test.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// The token is not a signed JSON Web Token, or is larger than the limit (RFC 9068 section 2).
        case form
        /// The token is of another kind, such as an ID token (RFC 9068 section 4, RFC 8725 section 3.11).
        case type = "typ"
        /// The signature's algorithm is not allowed (RFC 9068 section 4, RFC 8725 section 3.1).
        case algorithm = "alg"
        /// The token has an extension that must be understood (RFC 7515 section 4.1.11).
        case critical = "crit"
        /// No key of the issuer matches (RFC 9068 section 4).
        case key = "kid"
        /// The signature is invalid (RFC 9068 section 4).
        case signature
        /// The issuer is not a trusted one (RFC 9068 section 4).
        case issuer = "iss"
        /// The token is for another resource server (RFC 9068 section 4).
        case audience = "aud"
        /// The token has expired, or has no `exp` (RFC 9068 section 4).
        case expiry = "exp"
        /// The token is not valid yet (RFC 7519 section 4.1.5).
        case notBefore = "nbf"
        /// The token was issued in the future, or has no `iat` (RFC 9068 section 2.2).
        case issuedAt = "iat"
        /// The token has no subject (RFC 9068 section 2.2).
        case subject = "sub"
        /// The token does not name the client that it was issued to (RFC 9068 section 2.2).
        case clientID = "client_id"
        /// The token has no identifier (RFC 9068 section 2.2).
        case tokenID = "jti"
        /// The token is bound to a key that the request does not prove, or the request proves a key for an unbound
        /// token (RFC 9449 section 7.2, RFC 8705 section 3).
        case confirmation = "cnf"
        /// The token is not bound as the route requires.
        case binding
        /// The issuer reports the token as inactive: unknown, expired or revoked (RFC 7662 section 2.2). Or it is among
        /// the ``RevokedTokens``.
        case active
        /// The user did not authenticate in a way that the route accepts (RFC 9470).
        case authenticationContext = "acr"
        /// The user authenticated too long ago, or the token does not say when (RFC 9470).
        case authenticationTime = "auth_time"
        /// The token does not have every scope that the route requires (RFC 6750 section 3.1).
        case scope
    }

    /// The first check that failed, in the order of the checks.
    public let check: Check

    /// The format of a token that was rejected for its `typ` or for the lack of its profile's mark; `nil` otherwise.
    public let form: Form?

    init(_ check: Check) {
        self.check = check
        form = nil
    }

    init(form: Form) {
        check = .type
        self.form = form
    }

    /// The OAuth error that the client receives: `insufficient_scope` for a valid token without the required scopes,
    /// `insufficient_user_authentication` for one that requires another sign-in, and `invalid_token` for all others
    /// (RFC 6750 section 3.1, RFC 9470 section 3).
    public var code: OAuthError.Code {
        switch check {
        case .scope: .insufficientScope
        case .authenticationContext, .authenticationTime: .insufficientUserAuthentication
        default: .invalidToken
        }
    }

    /// 403 for a valid token without the required scopes, and 401 for all others (RFC 6750 section 3.1).
    public var status: HTTPResponse.Status { check == .scope ? .forbidden : .unauthorized }
}

extension AccessTokenRefusal: CustomStringConvertible {
    /// The failure as a fixed sentence for developers; suitable for `error_description`.
    public var description: String {
        switch check {
        case .form: "The access token is not a signed JSON Web Token."
        case .type: "The token is not an access token."
        case .algorithm: "The access token is signed with an algorithm that is not accepted."
        case .critical: "The access token has a critical header parameter that is not supported."
        case .key: "The access token is signed with an unknown key."
        case .signature: "The signature of the access token is invalid."
        case .issuer: "The access token is from another issuer."
        case .audience: "The access token is for another resource server."
        case .expiry: "The access token has expired."
        case .notBefore: "The access token is not valid yet."
        case .issuedAt: "The access token's iat is missing or in the future."
        case .subject: "The access token has no subject."
        case .clientID: "The access token names no client."
        case .tokenID: "The access token has no identifier."
        case .confirmation: "The access token's binding does not match the proof of possession of the request."
        case .binding: "The access token is not bound to a key as this resource requires."
        case .active: "The access token is not active."
        case .authenticationContext: "The user must authenticate by another method."
        case .authenticationTime: "The user must authenticate again."
        case .scope: "The access token lacks a required scope."
        }
    }
}
