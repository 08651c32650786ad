import OstiaryCompatibility
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parameters of an authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
public struct AuthorizationRequest: Sendable, Hashable {
    /// The interaction that the server must have with the user.
    public struct Prompt: RawRepresentable, Sendable, Hashable {
        /// The value on the wire.
        public let rawValue: String
        /// Takes any value.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// No interaction: the server returns an error if it would need one.
        public static let none = Prompt(rawValue: "none")
        /// Sign in again.
        public static let login = Prompt(rawValue: "login")
        /// Consent to the client's access.
        public static let consent = Prompt(rawValue: "consent")
        /// Choose an account.
        public static let selectAccount = Prompt(rawValue: "select_account")
        /// Make a new account (Initiating User Registration via OpenID Connect).
        public static let create = Prompt(rawValue: "create")
    }

    /// The required or preferred method of authentication.
    public enum AuthenticationContext: Sendable, Hashable {
        /// Any method, at the server's choice.
        case any
        /// One of these `acr` values if possible, the best first; any other is accepted.
        case preferred([String])
        /// One of these `acr` values; an ID token with another one is rejected.
        case required([String])
    }

    /// The policy for pushing a request (RFC 9126).
    public enum Pushing: String, Sendable, Hashable {
        /// Pushes the request if the server offers an endpoint for it.
        ///
        /// A response of 404, 405, or 500 and above does not end the sign-in, nor does the rejection of a public
        /// client. The same request then goes through the browser, unless the server's metadata or the client's profile
        /// requires pushing.
        case auto
        /// Only where the server's metadata or the client's profile requires it.
        case whenRequired
        /// In any case; a server without the endpoint is an error.
        case always
        /// Not at all; a server that requires it is an error.
        case never
    }

    /// The kind of response that the authorization endpoint returns (RFC 6749 section 3.1.1).
    public enum ResponseType: String, Sendable, Hashable {
        /// An authorization code.
        case code
    }

    /// The way in which the authorization endpoint returns its response.
    ///
    /// (OAuth 2.0 Multiple Response Type Encoding Practices section 2.1)
    package enum ResponseMode: String, Sendable, Hashable {
        /// As a form that the user agent posts to the redirect URI (OAuth 2.0 Form Post Response Mode section 2).
        case formPost = "form_post"
    }

    /// The requested response mode; `nil` sends no `response_mode` and gets the response in the redirect's query.
    ///
    /// Only a server can receive a form, so the backend kit alone sets this.
    package var responseMode: ResponseMode?
    /// The requested response type.
    ///
    /// `nil` sends no `response_type`, for a server that supports a single type and expects no parameter.
    public var responseType: ResponseType? = .code
    /// The requested scopes, sent in this order.
    ///
    /// Default: ``defaultScopes``. Of the default, a request sends only `openid` and the scopes in the metadata's
    /// `scopes_supported`, if the metadata has that member. Scopes that the app sets are sent unchanged.
    public var scopes: [Scope] {
        didSet { hasDefaultScopes = false }
    }
    /// Whether ``scopes`` is the default of this type, and not the app's choice.
    public private(set) var hasDefaultScopes: Bool
    /// The interactions that the server must have with the user; empty leaves them to the server.
    public var prompt: [Prompt]
    /// The maximum age of the user's authentication, 0 or more; the ID token's `auth_time` is checked.
    ///
    /// `max_age` is a whole number of seconds: a fraction is dropped (OpenID Connect Core section 3.1.2.1).
    public var maximumAge: Duration?
    /// The required or preferred method of authentication.
    public var authenticationContext: AuthenticationContext
    /// A hint about the user who will sign in: a name or an address.
    public var loginHint: String?
    /// Languages, the best first (RFC 5646).
    public var uiLocales: [String]
    /// The resource servers that tokens will be requested for (RFC 8707 section 2.1).
    ///
    /// With `openid`, the sign-in's own access token is for none of them, so that it stays valid for the UserInfo
    /// endpoint. Each resource's token is then requested by a refresh when it is needed. Without `openid`, a single
    /// resource is also sent with the code and with every refresh (RFC 8707 section 2.2), and the sign-in's own access
    /// token is for it.
    public var resources: [ResourceIndicator]
    /// Whether the request is pushed to the server before the user agent opens it (RFC 9126).
    ///
    /// Default: where the server offers it.
    public var pushing: Pushing
    /// Parameters of a server's own.
    ///
    /// A parameter that this type sets itself is rejected.
    public var additionalParameters: Parameters

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes. Default: ``defaultScopes``, as far as the server lists them.
    ///   - prompt: The pages that the user has to see (OpenID Connect Core section 3.1.2.1).
    ///   - maximumAge: The maximum age of the authentication; `max_age` drops a fraction of a second.
    ///   - authenticationContext: The required or preferred `acr` values.
    ///   - loginHint: The identifier that the sign-in page is filled in with.
    ///   - uiLocales: The languages of the pages, in order of preference.
    ///   - resources: The resource servers that tokens will be requested for (RFC 8707).
    ///   - pushing: Whether the request is pushed to the server (RFC 9126).
    ///   - additionalParameters: Parameters of a server's own; none that the request sets itself.
    public init(
        scopes: [Scope]? = nil,
        prompt: [Prompt] = [],
        maximumAge: Duration? = nil,
        authenticationContext: AuthenticationContext = .any,
        loginHint: String? = nil,
        uiLocales: [String] = [],
        resources: [ResourceIndicator] = [],
        pushing: Pushing = .auto,
        additionalParameters: Parameters = Parameters()
    ) {
        self.scopes = scopes ?? Self.defaultScopes
        hasDefaultScopes = scopes == nil
        self.prompt = prompt
        self.maximumAge = maximumAge
        self.authenticationContext = authenticationContext
        self.loginHint = loginHint
        self.uiLocales = uiLocales
        self.resources = resources
        self.pushing = pushing
        self.additionalParameters = additionalParameters
    }

    /// Generates the one-time values (state, nonce and proof key: 32 random bytes each) and builds the URL to open.
    ///
    /// - Parameters:
    ///   - client: The client that sends the request.
    ///   - server: The server, from its metadata.
    ///   - random: A cryptographically secure source.
    /// - Returns: The URL to open, with the values that the redirect is checked by.
    /// - Throws: `configuration` when the request contradicts itself or must be pushed; `unsupported` when the server's
    ///   metadata lacks the endpoint, excludes PKCE with S256, or lacks a feature that the client's profile requires.
    public func prepared(
        for client: Client,
        at server: AuthorizationServer,
        using random: inout some RandomNumberGenerator
    ) throws(SignInError) -> PendingAuthorization {
        let mustBePushed = try mustBePushed(by: client, to: server)
        guard NamedCheck.holds("authorization.pushed", !mustBePushed) else {
            // Never a silent fall back to the plain query.
            throw SignInError(
                .authorization,
                .configuration("This request has to be pushed: use pushed(for:at:using:).")
            )
        }
        let draft = try draft(for: client, at: server, using: &random)
        return try PendingAuthorization(draft, opening: draft.parameters)
    }

    /// Fixes the one-time values, and builds the request that pushes them to the server (RFC 9126 section 2).
    ///
    /// - Parameters:
    ///   - client: The client that sends the request.
    ///   - server: The server, from its metadata.
    ///   - random: A cryptographically secure source.
    /// - Returns: The request to push; its response leads to the URL to open.
    /// - Throws: As ``prepared(for:at:using:)``, and `unsupported` when the server takes no pushed requests.
    public func pushed(
        for client: Client,
        at server: AuthorizationServer,
        using random: inout some RandomNumberGenerator
    ) throws(SignInError) -> PushedAuthorizationRequest {
        guard server.pushedAuthorizationRequestEndpoint != nil else {
            throw SignInError(.authorization, .unsupported("a pushed_authorization_request_endpoint"))
        }
        return PushedAuthorizationRequest(
            try draft(for: client, at: server, using: &random),
            isRequired: try mustBePushed(by: client, to: server)
        )
    }

    /// Whether the request is pushed: because the app or the server requires it, or because the server offers it.
    ///
    /// - Throws: `configuration` when the server or the profile requires pushing and the app forbids it.
    public func isPushed(by client: Client, to server: AuthorizationServer) throws(SignInError) -> Bool {
        let isOffered = pushing == .auto && server.pushedAuthorizationRequestEndpoint != nil
        return try mustBePushed(by: client, to: server) || isOffered
    }

    /// Whether the request may not go through the browser: the app, the client's profile or the metadata forbids it.
    private func mustBePushed(by client: Client, to server: AuthorizationServer) throws(SignInError) -> Bool {
        let isRequired = server.requiresPushedAuthorizationRequests || client.profile.requiresPushedAuthorization
        switch pushing {
        case .always: return true
        case .auto, .whenRequired: return isRequired
        case .never:
            guard !isRequired else {
                throw SignInError(
                    .authorization,
                    .configuration("The request must be pushed here (RFC 9126), and the app says never.")
                )
            }
            return false
        }
    }

    private func draft(
        for client: Client,
        at server: AuthorizationServer,
        using random: inout some RandomNumberGenerator
    ) throws(SignInError) -> AuthorizationDraft {
        try check()
        var verdict = Verdict(.authorization)
        let request = fitted(to: server, recording: &verdict)
        try client.profile.check(client, at: server, .authorization)
        guard let endpoint = server.authorizationEndpoint else {
            throw SignInError(.authorization, .unsupported("an authorization_endpoint"))
        }
        guard NamedCheck.holds("authorization.pkce", server.codeChallengeMethods?.contains("S256") ?? true) else {
            throw SignInError(.authorization, .unsupported("PKCE with S256 (code_challenge_methods_supported)"))
        }
        let state = OneTimeValue.make(using: &random)
        let nonce = OneTimeValue.make(using: &random)
        let proofKey = ProofKey(using: &random)
        let dpopKey = try client.senderConstraint.makeKey()
        var parameters = request.parameters(client: client, state: state, nonce: nonce, proofKey: proofKey)
        parameters[.dpopKeyThumbprint] = dpopKey?.thumbprint
        return AuthorizationDraft(
            endpoint: endpoint,
            parameters: parameters,
            request: request,
            client: client,
            server: server,
            state: Secret(state),
            nonce: Secret(nonce),
            proofKey: proofKey,
            dpopKey: dpopKey,
            verdict: verdict
        )
    }

    private func parameters(client: Client, state: String, nonce: String, proofKey: ProofKey) -> Parameters {
        var parameters = Parameters()
        parameters[.responseType] = responseType?.rawValue
        parameters[.responseMode] = responseMode?.rawValue
        parameters[.clientID] = client.id
        parameters[.redirectURI] = client.redirectURI.description
        if !scopes.isEmpty { parameters[.scope] = scopes.text }
        parameters[.state] = state
        if scopes.contains(.openID) { parameters[.nonce] = nonce }
        parameters[.codeChallenge] = proofKey.challenge
        parameters[.codeChallengeMethod] = "S256"
        if !prompt.isEmpty { parameters[.prompt] = prompt.map(\.rawValue).joined(separator: " ") }
        parameters[.maxAge] = wholeMaximumAge.map(String.init)
        switch authenticationContext {
        case .any: break
        case .preferred(let values), .required(let values): parameters[.acrValues] = values.joined(separator: " ")
        }
        parameters[.loginHint] = loginHint
        if !uiLocales.isEmpty { parameters[.uiLocales] = uiLocales.joined(separator: " ") }
        for resource in resources { parameters.append(resource.description, for: .resource) }
        for pair in additionalParameters.pairs { parameters.append(pair.value, for: pair.name) }
        return parameters
    }

    /// The maximum age as `max_age` has it.
    var wholeMaximumAge: Int? { maximumAge.map { Int(exactly: $0.inSeconds.rounded(.down)) ?? .max } }

    private func check() throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.authorization, .configuration(sentence)) }
        if let scope = scopes.first(where: { !$0.isWellFormed }) {
            throw wrong(
                "A scope has no space, quotation mark or backslash in it: give \(scope.rawValue.debugDescription) as several scopes."
            )
        }
        if prompt.contains(.none), prompt.count > 1 {
            throw wrong("prompt=none cannot be combined with another prompt.")
        }
        if let maximumAge, maximumAge < .zero { throw wrong("The maximum age is 0 seconds or more.") }
        if let name = additionalParameters.names.first(where: Self.ownParameters.contains) {
            throw wrong("\(name.rawValue) is set by the request itself and cannot be an additional parameter.")
        }
    }

    private static let ownParameters: Set<Parameters.Name> = [
        .responseType, .responseMode, .clientID, .redirectURI, .scope, .state, .nonce, .codeChallenge,
        .codeChallengeMethod, .codeVerifier, .clientSecret, .prompt, .maxAge, .acrValues, .loginHint, .uiLocales,
        .resource, .dpopKeyThumbprint, .requestURI, "request",
    ]
}
