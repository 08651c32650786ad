/// A parameter that the provider records: its meaning, and the visibility of its value.
///
/// A name that is not among them may be the rest of a secret that was sent without escapes: neither it nor its value
/// is recorded.
public struct RecordedParameter: Sendable, Hashable {
    /// The treatment of the value.
    public enum Visibility: String, Sendable, Hashable {
        /// It holds no secret and names no user.
        case shown
        /// It is redacted in requests, which may have anything there.
        case shownInResponses
        /// It may hold a secret or name a user.
        case redacted
    }

    /// The name on the wire.
    public let name: String
    /// The treatment of the value.
    public let visibility: Visibility
    /// The meaning, in one sentence.
    public let meaning: String
    /// The document and the section that define it.
    public let source: String

    private init(_ name: String, _ visibility: Visibility, _ meaning: String, _ source: String) {
        self.name = name
        self.visibility = visibility
        self.meaning = meaning
        self.source = source
    }
}

extension RecordedParameter {
    /// Every parameter that the provider records by its name.
    public static let all: [RecordedParameter] = [
        RecordedParameter(
            "response_type",
            .shown,
            "The kind of response that the client requests: code.",
            "RFC 6749 section 3.1.1"
        ),
        RecordedParameter(
            "response_mode",
            .shown,
            "The way the response comes back: query, or form_post.",
            "OAuth 2.0 Multiple Response Types section 2.1"
        ),
        RecordedParameter("client_id", .shown, "The client that sends the request.", "RFC 6749 section 2.2"),
        RecordedParameter(
            "redirect_uri",
            .shown,
            "The address that the browser returns to; one that the client has registered.",
            "RFC 6749 section 3.1.2"
        ),
        RecordedParameter(
            "scope",
            .shown,
            "The permissions that the client requests, or that a token has.",
            "RFC 6749 section 3.3"
        ),
        RecordedParameter(
            "prompt",
            .shown,
            "The pages that the user has to see, or none.",
            "OpenID Connect Core section 3.1.2.1"
        ),
        RecordedParameter(
            "max_age",
            .shown,
            "The largest age of the user's login, in seconds.",
            "OpenID Connect Core section 3.1.2.1"
        ),
        RecordedParameter(
            "ui_locales",
            .shown,
            "The languages that the user prefers.",
            "OpenID Connect Core section 3.1.2.1"
        ),
        RecordedParameter(
            "acr_values",
            .shown,
            "The levels of authentication that the client prefers.",
            "OpenID Connect Core section 3.1.2.1"
        ),
        RecordedParameter(
            "code_challenge_method",
            .shown,
            "The way the code_challenge was made: S256.",
            "RFC 7636 section 4.3"
        ),
        RecordedParameter("grant_type", .shown, "The kind of grant that is redeemed for tokens.", "RFC 6749 section 4"),
        RecordedParameter("resource", .shown, "The resource server that the token is for.", "RFC 8707 section 2"),
        RecordedParameter("audience", .shown, "The service that the token is for.", "RFC 8693 section 2.1"),
        RecordedParameter(
            "token_type_hint",
            .shown,
            "The kind of the token, to find it faster.",
            "RFC 7009 section 2.1"
        ),
        RecordedParameter("client_assertion_type", .shown, "The form of the client_assertion.", "RFC 7521 section 4.2"),
        RecordedParameter("subject_token_type", .shown, "The kind of the subject_token.", "RFC 8693 section 3"),
        RecordedParameter("actor_token_type", .shown, "The kind of the actor_token.", "RFC 8693 section 3"),
        RecordedParameter(
            "requested_token_type",
            .shown,
            "The kind of token that the client requests.",
            "RFC 8693 section 2.1"
        ),
        RecordedParameter(
            "post_logout_redirect_uri",
            .shown,
            "The address that the browser returns to after the sign-out.",
            "OpenID Connect RP-Initiated Logout section 2"
        ),
        RecordedParameter("access_type", .shown, "offline requests a refresh token, at some providers.", "no standard"),
        RecordedParameter(
            "display",
            .shown,
            "The kind of window that shows the pages.",
            "OpenID Connect Core section 3.1.2.1"
        ),
        RecordedParameter(
            "token_type",
            .shownInResponses,
            "The way the access token is presented: Bearer or DPoP.",
            "RFC 6749 section 7.1"
        ),
        RecordedParameter("expires_in", .shownInResponses, "The lifetime, in seconds.", "RFC 6749 section 5.1"),
        RecordedParameter(
            "interval",
            .shownInResponses,
            "The shortest time between two polls of a device, in seconds.",
            "RFC 8628 section 3.2"
        ),
        RecordedParameter(
            "issued_token_type",
            .shownInResponses,
            "The kind of the issued token.",
            "RFC 8693 section 2.2.1"
        ),
        RecordedParameter(
            "verification_uri",
            .shownInResponses,
            "The address that the user opens on another device.",
            "RFC 8628 section 3.2"
        ),
        RecordedParameter(
            "iss",
            .shownInResponses,
            "The issuer of the response; the client compares it with the one it expects.",
            "RFC 9207 section 2"
        ),
        RecordedParameter("error", .shownInResponses, "The error code.", "RFC 6749 section 5.2"),
        RecordedParameter(
            "error_description",
            .shownInResponses,
            "The reason of the error, for a developer.",
            "RFC 6749 section 5.2"
        ),
        RecordedParameter("client_secret", .redacted, "The client's secret.", "RFC 6749 section 2.3.1"),
        RecordedParameter(
            "client_assertion",
            .redacted,
            "The token by which the client authenticates.",
            "RFC 7521 section 4.2"
        ),
        RecordedParameter(
            "code",
            .redacted,
            "The authorization code: valid once, and for a short time.",
            "RFC 6749 section 4.1.2"
        ),
        RecordedParameter(
            "code_challenge",
            .redacted,
            "The hash of the code_verifier; it binds the code to this client.",
            "RFC 7636 section 4.3"
        ),
        RecordedParameter("code_verifier", .redacted, "The secret behind the code_challenge.", "RFC 7636 section 4.5"),
        RecordedParameter(
            "state",
            .redacted,
            "A value that comes back unchanged; it binds the response to the browser.",
            "RFC 6749 section 10.12"
        ),
        RecordedParameter(
            "nonce",
            .redacted,
            "A value that the ID token repeats; it binds the token to this sign-in.",
            "OpenID Connect Core section 3.1.2.1"
        ),
        RecordedParameter("token", .redacted, "The token to revoke or to inspect.", "RFC 7009 section 2.1"),
        RecordedParameter("access_token", .redacted, "The token for the resource server.", "RFC 6749 section 1.4"),
        RecordedParameter("refresh_token", .redacted, "The token for new access tokens.", "RFC 6749 section 1.5"),
        RecordedParameter(
            "id_token",
            .redacted,
            "The signed claims about the user and the sign-in.",
            "OpenID Connect Core section 2"
        ),
        RecordedParameter(
            "id_token_hint",
            .redacted,
            "An earlier ID token of the user.",
            "OpenID Connect RP-Initiated Logout section 2"
        ),
        RecordedParameter(
            "logout_token",
            .redacted,
            "The signed notice that a login has ended.",
            "OpenID Connect Back-Channel Logout section 2.4"
        ),
        RecordedParameter(
            "device_code",
            .redacted,
            "The secret with which a device polls for its tokens.",
            "RFC 8628 section 3.2"
        ),
        RecordedParameter(
            "user_code",
            .redacted,
            "The code that the user enters for a device.",
            "RFC 8628 section 3.2"
        ),
        RecordedParameter(
            "verification_uri_complete",
            .redacted,
            "The address that the user opens, with the code.",
            "RFC 8628 section 3.2"
        ),
        RecordedParameter(
            "subject_token",
            .redacted,
            "The token of the user for whom a token is requested.",
            "RFC 8693 section 2.1"
        ),
        RecordedParameter(
            "actor_token",
            .redacted,
            "The token of the party that acts for the user.",
            "RFC 8693 section 2.1"
        ),
        RecordedParameter(
            "dpop_jkt",
            .redacted,
            "The thumbprint of the key that the code is bound to.",
            "RFC 9449 section 10"
        ),
        RecordedParameter(
            "login_hint",
            .redacted,
            "The user that the client expects.",
            "OpenID Connect Core section 3.1.2.1"
        ),
        RecordedParameter(
            "logout_hint",
            .redacted,
            "The user to sign out.",
            "OpenID Connect RP-Initiated Logout section 2"
        ),
        RecordedParameter(
            "request_uri",
            .redacted,
            "The reference to a pushed request, or the address of a request object.",
            "RFC 9126 section 2.2"
        ),
        RecordedParameter("request", .redacted, "The parameters as a request object.", "RFC 9101 section 5"),
        RecordedParameter(
            "logout_uri",
            .redacted,
            "The address that the browser returns to after the sign-out, at some providers.",
            "no standard"
        ),
        RecordedParameter("error_uri", .redacted, "A page about the error.", "RFC 6749 section 5.2"),
        RecordedParameter(
            "assertion",
            .redacted,
            "The assertion that is redeemed for a token.",
            "RFC 7521 section 4.1"
        ),
        RecordedParameter(
            "authorization_details",
            .redacted,
            "The permissions that the client requests, in detail.",
            "RFC 9396 section 2"
        ),
        RecordedParameter(
            "claims",
            .redacted,
            "The claims that the client requests.",
            "OpenID Connect Core section 5.5"
        ),
        RecordedParameter(
            "claims_locales",
            .redacted,
            "The languages of the claims.",
            "OpenID Connect Core section 5.2"
        ),
        RecordedParameter(
            "organization_id",
            .redacted,
            "The organization that the token is for, at some providers.",
            "no standard"
        ),
        RecordedParameter(
            "registration",
            .redacted,
            "The metadata of a self-issued provider's client.",
            "OpenID Connect Core section 7.2.1"
        ),
        RecordedParameter("rel", .redacted, "The relation that WebFinger looks up.", "RFC 7033 section 4.3"),
        RecordedParameter("software_statement", .redacted, "The signed metadata of a client.", "RFC 7591 section 2.3"),
        RecordedParameter("interaction", .redacted, "The provider's own page that the form belongs to.", "no standard"),
        RecordedParameter("csrf", .redacted, "The provider's own value against forged forms.", "RFC 9700 section 4.7"),
        RecordedParameter("username", .redacted, "The name that the user entered.", "no standard"),
        RecordedParameter("password", .redacted, "The password that the user entered.", "no standard"),
        RecordedParameter("one_time_password", .redacted, "The one-time password that the user entered.", "RFC 6238"),
        RecordedParameter("account", .redacted, "The account that the user chose on a page.", "no standard"),
        RecordedParameter("forget", .redacted, "The account that the user had forgotten on a page.", "no standard"),
        RecordedParameter(
            "passkey",
            .redacted,
            "The browser's response about a passkey.",
            "Web Authentication Level 3 section 5.1"
        ),
        RecordedParameter("remove", .redacted, "The passkey that the user removed on a page.", "no standard"),
        RecordedParameter("decision", .redacted, "The button that the user pressed.", "no standard"),
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The parameter with a name; `nil` for one whose name is not recorded.
    static func named(_ name: String) -> RecordedParameter? { byName[name] }
}
