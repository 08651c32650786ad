/// An error response of an authorization server or a resource server (RFC 6749 section 5.2, RFC 6750 section 3).
public struct OAuthError: Sendable, Hashable {
    /// The error code, for programs.
    public var code: Code
    /// The server's description of the error, for developers: no control characters, at most 500 characters.
    public var description: String?
    /// A page about the error.
    public var uri: String?
    /// The shortest time between two requests of a device from now on, where `slow_down` brings one.
    ///
    /// RFC 8628 section 3.5 knows no such member; some servers send it.
    public var interval: Duration?
    /// The error's meaning for the session whose refresh it refuses.
    package var consequence = Consequence.ofCode

    /// Whether an error ends the session whose refresh it refuses.
    package enum Consequence: Sendable, Hashable {
        /// As its code says: `invalid_grant` ends the session (RFC 6749 section 5.2).
        case ofCode
        /// The description of the server says that this code ends the session (``ServerManners/sessionEndingCodes``).
        case endsSession
        /// The session goes on: the response is not the error response that RFC 6749 section 5.2 defines, or not the
        /// token endpoint's.
        case none
    }

    /// Whether a refresh that is refused with this error has lost its session.
    package var endsSession: Bool {
        switch consequence {
        case .ofCode: code == .invalidGrant
        case .endsSession: true
        case .none: false
        }
    }

    /// Makes an error of a server's words.
    public init(code: Code, description: String? = nil, uri: String? = nil) {
        self.code = code
        self.description = description.map(Self.printable)
        self.uri = uri.map(Self.printable)
    }

    /// A value of the IANA "OAuth Extensions Error" registry; unknown values pass through unchanged.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code as it was sent, at most 100 characters of it.
        public let rawValue: String
        /// Takes any code.
        public init(rawValue: String) { self.rawValue = String(OAuthError.printable(rawValue).prefix(100)) }

        /// Whether a text can be a code rather than a sentence: printable ASCII without space, `"` and `\` (RFC 6749
        /// section 5.2 allows the space, which no registered code has).
        static func isWellFormed(_ text: String) -> Bool { Scope(rawValue: text).isWellFormed }
    }

    /// A text without control characters, at most 500 characters of it.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(500).filter { $0.properties.generalCategory != .control }
            )
        )
    }
}

extension OAuthError.Code {
    /// The user or the server's policy denied the request (RFC 6749 section 4.1.2.1).
    public static let accessDenied = Self(rawValue: "access_denied")
    /// The user must give consent (OpenID Connect Core section 3.1.2.6).
    public static let consentRequired = Self(rawValue: "consent_required")
    /// The user must interact with the server (OpenID Connect Core section 3.1.2.6).
    public static let interactionRequired = Self(rawValue: "interaction_required")
    /// The client is unknown or did not authenticate (RFC 6749 section 5.2).
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// The code or refresh token is invalid, expired or revoked (RFC 6749 section 5.2).
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    /// The request is malformed (RFC 6749 section 5.2).
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The scope is unknown or too wide (RFC 6749 section 5.2).
    public static let invalidScope = Self(rawValue: "invalid_scope")
    /// The access token is invalid, expired or revoked (RFC 6750 section 3.1).
    public static let invalidToken = Self(rawValue: "invalid_token")
    /// The access token's scope does not cover the request (RFC 6750 section 3.1).
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    /// The user must sign in (OpenID Connect Core section 3.1.2.6).
    public static let loginRequired = Self(rawValue: "login_required")
    /// The server failed (RFC 6749 section 4.1.2.1).
    public static let serverError = Self(rawValue: "server_error")
    /// The server is busy (RFC 6749 section 4.1.2.1).
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    /// The client may not do this (RFC 6749 section 5.2).
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    /// The server does not support the grant type (RFC 6749 section 5.2).
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    /// The server does not support the response type (RFC 6749 section 4.1.2.1).
    public static let unsupportedResponseType = Self(rawValue: "unsupported_response_type")
    /// The server does not revoke this kind of token (RFC 7009 section 2.2.1).
    public static let unsupportedTokenType = Self(rawValue: "unsupported_token_type")
    /// The user has not decided yet: repeat the request after the interval (RFC 8628 section 3.5).
    public static let authorizationPending = Self(rawValue: "authorization_pending")
    /// The client polls too often: add five seconds to the interval for all further requests (RFC 8628 section 3.5).
    public static let slowDown = Self(rawValue: "slow_down")
    /// The device code has expired (RFC 8628 section 3.5).
    public static let expiredToken = Self(rawValue: "expired_token")
    /// The resource is unknown, or not allowed for this client (RFC 8707 section 2).
    public static let invalidTarget = Self(rawValue: "invalid_target")
    /// The proof of possession is invalid (RFC 9449 section 5).
    public static let invalidDPoPProof = Self(rawValue: "invalid_dpop_proof")
    /// The proof must carry the nonce of this response (RFC 9449 section 8).
    public static let useDPoPNonce = Self(rawValue: "use_dpop_nonce")
    /// The proof of a client's instance must carry the challenge of this response
    /// (draft-ietf-oauth-attestation-based-client-auth-10).
    public static let useAttestationChallenge = Self(rawValue: "use_attestation_challenge")
    /// The attestation of a client's instance is too old (draft-ietf-oauth-attestation-based-client-auth-10).
    public static let useFreshAttestation = Self(rawValue: "use_fresh_attestation")
    /// The user must authenticate again or in another way (RFC 9470 section 3).
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
    /// A redirect URI cannot be registered (RFC 7591 section 3.2.2).
    public static let invalidRedirectURI = Self(rawValue: "invalid_redirect_uri")
    /// A member of the client's metadata cannot be registered (RFC 7591 section 3.2.2).
    public static let invalidClientMetadata = Self(rawValue: "invalid_client_metadata")
    /// The software statement is not valid (RFC 7591 section 3.2.2).
    public static let invalidSoftwareStatement = Self(rawValue: "invalid_software_statement")
    /// The software statement is not approved here (RFC 7591 section 3.2.2).
    public static let unapprovedSoftwareStatement = Self(rawValue: "unapproved_software_statement")

    /// Whether a specification defines the code, so that it cannot hold a value of the request.
    var isRegistered: Bool { Self.registered.contains(rawValue) }

    /// The codes of the IANA "OAuth Extensions Error" registry and of RFC 6749, RFC 6750, RFC 7591 and
    /// draft-ietf-oauth-attestation-based-client-auth-10.
    private static let registered: Set<String> = [
        "access_denied", "account_selection_required", "authorization_pending", "consent_required", "expired_token",
        "incompatible_ace_profiles", "insufficient_scope", "insufficient_user_authentication", "interaction_required",
        "invalid_authorization_details", "invalid_client", "invalid_client_metadata", "invalid_dpop_proof",
        "invalid_grant", "invalid_redirect_uri", "invalid_request", "invalid_request_object", "invalid_request_uri",
        "invalid_scope", "invalid_software_statement", "invalid_target", "invalid_token", "login_required",
        "registration_not_supported", "request_not_supported", "request_uri_not_supported", "server_error",
        "slow_down", "temporarily_unavailable", "unapproved_software_statement", "unauthorized_client",
        "unsupported_grant_type", "unsupported_pop_key", "unsupported_response_type", "unsupported_token_type",
        "use_attestation_challenge", "use_dpop_nonce", "use_fresh_attestation",
    ]
}
