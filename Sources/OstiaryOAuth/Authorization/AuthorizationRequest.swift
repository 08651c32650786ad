import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What to ask the authorization server for (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
public struct AuthorizationRequest: Sendable, Hashable {
    /// What the person is asked to do.
    public struct Prompt: RawRepresentable, Sendable, Hashable {
        /// The value as it is sent.
        public let rawValue: String
        /// Takes any value.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Nothing: fail when something would have to be asked.
        public static let none = Prompt(rawValue: "none")
        /// Sign in again.
        public static let login = Prompt(rawValue: "login")
        /// Confirm what the client gets.
        public static let consent = Prompt(rawValue: "consent")
        /// Choose an account.
        public static let selectAccount = Prompt(rawValue: "select_account")
        /// Make a new account (Initiating User Registration via OpenID Connect).
        public static let create = Prompt(rawValue: "create")
    }

    /// How the person has to authenticate.
    public enum AuthenticationContext: Sendable, Hashable {
        /// As the server likes.
        case any
        /// One of these if possible, the best first; any other is accepted.
        case preferred([String])
        /// One of these; an ID token with another `acr` is refused.
        case required([String])
    }

    /// When a request is pushed (RFC 9126).
    public enum Pushing: String, Sendable, Hashable {
        /// Pushes where the server offers it.
        ///
        /// An endpoint that answers 404, 405 or a status from 500 on does not end the sign-in, nor does one that rejects a
        /// public client: the same request then goes through the browser, unless the server's metadata or the client's
        /// profile requires pushing.
        case auto
        /// Only where the server's metadata or the client's profile requires it.
        case whenRequired
        /// In any case; a server without the endpoint is an error.
        case always
        /// Not at all; a server that requires it is an error.
        case never
    }

    /// What the authorization endpoint answers with (RFC 6749 section 3.1.1).
    public enum ResponseType: String, Sendable, Hashable {
        /// An authorization code.
        case code
    }

    /// What the endpoint answers with; `nil` sends no `response_type`, for a server that knows one alone and wants none.
    public var responseType: ResponseType? = .code
    /// The requested scopes, sent in this order.
    ///
    /// Default: ``defaultScopes``. Of the default, a request sends only `openid` and the scopes that the server's
    /// metadata lists in `scopes_supported`, where it lists any. Scopes that the app sets are sent as they are.
    public var scopes: [Scope] {
        didSet { hasDefaultScopes = false }
    }
    /// Whether ``scopes`` is the default of this type, and not the app's choice.
    public private(set) var hasDefaultScopes: Bool
    /// What the person is asked to do; empty leaves it to the server.
    public var prompt: [Prompt]
    /// How long ago the person may have authenticated, in seconds, 0 or more; the answer is checked.
    public var maximumAge: Int?
    /// How the person has to authenticate.
    public var authenticationContext: AuthenticationContext
    /// Who will sign in, as far as the app knows: a name or an address.
    public var loginHint: String?
    /// Languages, the best first (RFC 5646).
    public var uiLocales: [String]
    /// Resource servers that tokens will be asked for (RFC 8707 section 2.1).
    ///
    /// With `openid` the sign-in's own access token is for none of them, so that it stays valid for the user info; a
    /// refresh requests each resource's token when it is needed. Without `openid`, a single resource goes with the code
    /// and every refresh, too (RFC 8707 section 2.2): the sign-in's own access token is for it.
    public var resources: [ResourceIndicator]
    /// Whether the request is pushed to the server before the user agent opens it (RFC 9126).
    ///
    /// Default: where the server offers it.
    public var pushing: Pushing
    /// Parameters of a server's own.
    ///
    /// Those that this type sets itself are refused.
    public var additionalParameters: Parameters

    /// Makes a request.
    ///
    /// - Parameter scopes: The requested scopes. Default: ``defaultScopes``, as far as the server lists them.
    public init(
        scopes: [Scope]? = nil,
        prompt: [Prompt] = [],
        maximumAge: Int? = nil,
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

    /// Fixes the one-time values (state, nonce and proof key: 32 random bytes each) and builds the URL to open.
    ///
    /// - Parameter random: A cryptographically secure source.
    /// - Throws: `configuration` for a request that contradicts itself or has to be pushed, `unsupported` when the
    ///   server's metadata lacks the endpoint, says that it does not know PKCE with S256, or lacks what the client's
    ///   profile asks for.
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
    /// - Parameter random: A cryptographically secure source.
    /// - Throws: As ``prepared(for:at:using:)``, and `unsupported` when the server takes no pushed requests.
    public func pushed(
        for client: Client,
        at server: AuthorizationServer,
        using random: inout some RandomNumberGenerator
    ) throws(SignInError) -> PushedAuthorization {
        guard server.pushedAuthorizationRequestEndpoint != nil else {
            throw SignInError(.authorization, .unsupported("a pushed_authorization_request_endpoint"))
        }
        return PushedAuthorization(
            try draft(for: client, at: server, using: &random),
            isRequired: try mustBePushed(by: client, to: server)
        )
    }

    /// Whether the request is pushed: because the app or the server requires it, or because the server offers it.
    ///
    /// - Throws: `configuration` when it has to be and the app says never.
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
        parameters[.clientID] = client.id
        parameters[.redirectURI] = client.redirectURI.description
        if !scopes.isEmpty { parameters[.scope] = scopes.text }
        parameters[.state] = state
        if scopes.contains(.openID) { parameters[.nonce] = nonce }
        parameters[.codeChallenge] = proofKey.challenge
        parameters[.codeChallengeMethod] = "S256"
        if !prompt.isEmpty { parameters[.prompt] = prompt.map(\.rawValue).joined(separator: " ") }
        parameters[.maxAge] = maximumAge.map(String.init)
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
        if let maximumAge, maximumAge < 0 { throw wrong("The maximum age is 0 seconds or more.") }
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
