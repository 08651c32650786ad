/// Query or form parameters in the order in which they are sent; names are compared exactly.
///
/// Printing parameters prints their names only.
public struct Parameters: Sendable, Hashable {
    /// A parameter name of the IANA "OAuth Parameters" registry, or a server's own.
    public struct Name: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        /// The name on the wire.
        public let rawValue: String
        /// Takes any name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Takes any name.
        public init(stringLiteral value: String) { rawValue = value }
    }

    /// One parameter.
    public struct Pair: Sendable, Hashable {
        /// Its name.
        public var name: Name
        /// Its value, not escaped.
        public var value: String
    }

    /// Every parameter, in order.
    public private(set) var pairs: [Pair] = []

    /// Makes parameters in the order given.
    public init(_ pairs: KeyValuePairs<Name, String> = [:]) {
        self.pairs = pairs.map { Pair(name: $0.key, value: $0.value) }
    }

    /// The first value of a parameter; setting it replaces every earlier value, setting `nil` removes it.
    public subscript(name: Name) -> String? {
        get { pairs.first { $0.name == name }?.value }
        set {
            let place = pairs.firstIndex { $0.name == name }
            pairs.removeAll { $0.name == name }
            if let newValue {
                pairs.insert(Pair(name: name, value: newValue), at: min(place ?? pairs.count, pairs.count))
            }
        }
    }

    /// Every value of a parameter, in order.
    public func values(of name: Name) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// The names that occur, in order of their first occurrence.
    public var names: [Name] { pairs.reduce(into: []) { if !$0.contains($1.name) { $0.append($1.name) } } }

    /// Adds one more value of a parameter that may repeat, such as `resource` (RFC 8707 section 2).
    public mutating func append(_ value: String, for name: Name) { pairs.append(Pair(name: name, value: value)) }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Makes parameters in the order given; a name may repeat.
    public init(dictionaryLiteral elements: (Name, String)...) {
        pairs = elements.map { Pair(name: $0.0, value: $0.1) }
    }
}

extension Parameters: CustomStringConvertible, CustomReflectable {
    /// The names alone.
    public var description: String { "Parameters(\(pairs.map(\.name.rawValue).joined(separator: ", ")))" }
    /// The names alone.
    public var customMirror: Mirror { Mirror(self, children: ["names": names.map(\.rawValue)]) }
}

extension Parameters.Name {
    /// `client_id` (RFC 6749 section 2.2).
    public static let clientID: Self = "client_id"
    /// `client_secret` (RFC 6749 section 2.3.1).
    public static let clientSecret: Self = "client_secret"
    /// `code` (RFC 6749 section 4.1.2).
    public static let code: Self = "code"
    /// `code_challenge` (RFC 7636 section 4.3).
    public static let codeChallenge: Self = "code_challenge"
    /// `code_challenge_method` (RFC 7636 section 4.3).
    public static let codeChallengeMethod: Self = "code_challenge_method"
    /// `code_verifier` (RFC 7636 section 4.5).
    public static let codeVerifier: Self = "code_verifier"
    /// `error` (RFC 6749 section 4.1.2.1).
    public static let error: Self = "error"
    /// `error_description` (RFC 6749 section 4.1.2.1).
    public static let errorDescription: Self = "error_description"
    /// `error_uri` (RFC 6749 section 4.1.2.1).
    public static let errorURI: Self = "error_uri"
    /// `grant_type` (RFC 6749 section 4.1.3).
    public static let grantType: Self = "grant_type"
    /// `id_token_hint` (OpenID Connect RP-Initiated Logout section 2).
    public static let idTokenHint: Self = "id_token_hint"
    /// `iss` (RFC 9207 section 2).
    public static let issuer: Self = "iss"
    /// `acr_values` (OpenID Connect Core section 3.1.2.1).
    public static let acrValues: Self = "acr_values"
    /// `login_hint` (OpenID Connect Core section 3.1.2.1).
    public static let loginHint: Self = "login_hint"
    /// `max_age` (OpenID Connect Core section 3.1.2.1).
    public static let maxAge: Self = "max_age"
    /// `nonce` (OpenID Connect Core section 3.1.2.1).
    public static let nonce: Self = "nonce"
    /// `post_logout_redirect_uri` (OpenID Connect RP-Initiated Logout section 2).
    public static let postLogoutRedirectURI: Self = "post_logout_redirect_uri"
    /// `logout_uri` (Amazon Cognito's logout endpoint).
    package static let logoutURI: Self = "logout_uri"
    /// `prompt` (OpenID Connect Core section 3.1.2.1).
    public static let prompt: Self = "prompt"
    /// `redirect_uri` (RFC 6749 section 4.1.1).
    public static let redirectURI: Self = "redirect_uri"
    /// `refresh_token` (RFC 6749 section 6).
    public static let refreshToken: Self = "refresh_token"
    /// `resource` (RFC 8707 section 2).
    public static let resource: Self = "resource"
    /// `response_mode` (OAuth 2.0 Multiple Response Type Encoding Practices section 2.1).
    public static let responseMode: Self = "response_mode"
    /// `response_type` (RFC 6749 section 3.1.1).
    public static let responseType: Self = "response_type"
    /// `scope` (RFC 6749 section 3.3).
    public static let scope: Self = "scope"
    /// `state` (RFC 6749 section 4.1.1).
    public static let state: Self = "state"
    /// `token` (RFC 7009 section 2.1).
    public static let token: Self = "token"
    /// `token_type_hint` (RFC 7009 section 2.1).
    public static let tokenTypeHint: Self = "token_type_hint"
    /// `ui_locales` (OpenID Connect Core section 3.1.2.1).
    public static let uiLocales: Self = "ui_locales"
    /// `actor_token` (RFC 8693 section 2.1).
    public static let actorToken: Self = "actor_token"
    /// `actor_token_type` (RFC 8693 section 2.1).
    public static let actorTokenType: Self = "actor_token_type"
    /// `audience` (RFC 8693 section 2.1).
    public static let audience: Self = "audience"
    /// `client_assertion` (RFC 7521 section 4.2).
    public static let clientAssertion: Self = "client_assertion"
    /// `client_assertion_type` (RFC 7521 section 4.2).
    public static let clientAssertionType: Self = "client_assertion_type"
    /// `device_code` (RFC 8628 section 3.4).
    public static let deviceCode: Self = "device_code"
    /// `dpop_jkt` (RFC 9449 section 10).
    public static let dpopKeyThumbprint: Self = "dpop_jkt"
    /// `requested_token_type` (RFC 8693 section 2.1).
    public static let requestedTokenType: Self = "requested_token_type"
    /// `request_uri` (RFC 9126 section 2.2).
    public static let requestURI: Self = "request_uri"
    /// `subject_token` (RFC 8693 section 2.1).
    public static let subjectToken: Self = "subject_token"
    /// `subject_token_type` (RFC 8693 section 2.1).
    public static let subjectTokenType: Self = "subject_token_type"
    /// `user_code` (RFC 8628 section 3.3).
    public static let userCode: Self = "user_code"
}
