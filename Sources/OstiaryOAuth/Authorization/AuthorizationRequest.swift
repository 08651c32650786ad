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

    /// What is asked for; sent in this order.
    ///
    /// Default: an ID token, the profile, and to stay signed in.
    public var scopes: [Scope]
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
    /// Parameters of a server's own.
    ///
    /// Those that this type sets itself are refused.
    public var additionalParameters: Parameters

    /// Makes a request.
    public init(
        scopes: [Scope] = [.openID, .profile, .offlineAccess],
        prompt: [Prompt] = [],
        maximumAge: Int? = nil,
        authenticationContext: AuthenticationContext = .any,
        loginHint: String? = nil,
        uiLocales: [String] = [],
        additionalParameters: Parameters = Parameters()
    ) {
        self.scopes = scopes
        self.prompt = prompt
        self.maximumAge = maximumAge
        self.authenticationContext = authenticationContext
        self.loginHint = loginHint
        self.uiLocales = uiLocales
        self.additionalParameters = additionalParameters
    }

    /// Fixes the one-time values (state, nonce and proof key: 32 random bytes each) and builds the URL to open.
    ///
    /// - Parameter random: A cryptographically secure source.
    /// - Throws: `configuration` for a request that contradicts itself, `unsupported` when the server's metadata lacks
    ///   the endpoint or says that it does not know PKCE with S256.
    public func prepared(
        for client: Client,
        at server: AuthorizationServer,
        using random: inout some RandomNumberGenerator
    ) throws(SignInError) -> PendingAuthorization {
        try check()
        guard let endpoint = server.authorizationEndpoint else {
            throw SignInError(.authorization, .unsupported("an authorization_endpoint"))
        }
        if let methods = server.codeChallengeMethods, !methods.contains("S256") {
            throw SignInError(.authorization, .unsupported("PKCE with S256 (code_challenge_methods_supported)"))
        }
        let state = OneTimeValue.make(using: &random)
        let nonce = OneTimeValue.make(using: &random)
        let proofKey = ProofKey(using: &random)
        let query = FormURLEncoding.encode(parameters(client: client, state: state, nonce: nonce, proofKey: proofKey))
        let text = endpoint.absoluteString
        guard let url = URL(string: text + (text.contains("?") ? "&" : "?") + query) else {
            throw SignInError(.authorization, .malformed("the metadata's authorization_endpoint"))
        }
        return PendingAuthorization(
            url: url,
            request: self,
            client: client,
            server: server,
            state: state,
            nonce: nonce,
            proofKey: proofKey
        )
    }

    private func parameters(client: Client, state: String, nonce: String, proofKey: ProofKey) -> Parameters {
        var parameters: Parameters = Parameters([
            .responseType: "code", .clientID: client.id, .redirectURI: client.redirectURI.description,
        ])
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
        "request", "request_uri",
    ]
}
