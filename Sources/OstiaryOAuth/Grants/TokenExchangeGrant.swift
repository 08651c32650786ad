/// A token exchange: for another audience, with fewer scopes, or on behalf of another party (RFC 8693).
public struct TokenExchangeGrant: Grant {
    /// A token with its type.
    public struct Token: Sendable, Hashable {
        /// The token.
        public let value: Secret
        /// The type of the token.
        public let type: TokenType
        /// Names a token's kind.
        public init(_ value: Secret, _ type: TokenType) {
            self.value = value
            self.type = type
        }
    }

    private let subject: Token
    private let actor: Token?
    private let audiences: [String]
    private let resources: [ResourceIndicator]
    private let scopes: [Scope]
    private let requestedType: TokenType?
    private let additionalParameters: Parameters
    /// The key that the new token will be bound to.
    public let dpopKey: DPoPKey?

    /// Makes a grant from a token.
    ///
    /// - Parameters:
    ///   - subject: The token that identifies the subject of the new token.
    ///   - client: The client that exchanges the token.
    ///   - actor: The token of the acting party; `nil` for the client itself.
    ///   - audiences: The names of the services that the new token is for.
    ///   - resources: The URIs of the services that the new token is for.
    ///   - scopes: The requested scopes; empty leaves them to the server.
    ///   - requestedType: The required type of the new token; a response with another type is rejected. `nil` leaves it
    ///     to the server.
    ///   - additionalParameters: Parameters of a server's own.
    /// - Throws: `configuration` for an additional parameter that the request sets itself; the error of generating the
    ///   client's key.
    public init(
        of subject: Token,
        for client: Client,
        actor: Token? = nil,
        audiences: [String] = [],
        resources: [ResourceIndicator] = [],
        scopes: [Scope] = [],
        requestedType: TokenType? = nil,
        additionalParameters: Parameters = Parameters()
    ) throws(SignInError) {
        if let name = additionalParameters.names.first(where: Self.ownParameters.contains) {
            throw SignInError(
                .token,
                .configuration("\(name.rawValue) is set by the request itself and cannot be an additional parameter.")
            )
        }
        self.additionalParameters = additionalParameters
        self.subject = subject
        self.actor = actor
        self.audiences = audiences
        self.resources = resources
        self.scopes = scopes
        self.requestedType = requestedType
        dpopKey = try client.senderConstraint.makeKey()
    }

    /// `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693 section 2.1).
    public static var type: String { "urn:ietf:params:oauth:grant-type:token-exchange" }
    /// Stage `token`.
    public static var stage: SignInError.Stage { .token }
    /// The tokens, and the properties of the new token (RFC 8693 section 2.1).
    public var parameters: Parameters {
        var parameters = Parameters([
            .subjectToken: subject.value.reveal(), .subjectTokenType: subject.type.rawValue,
        ])
        parameters[.actorToken] = actor?.value.reveal()
        parameters[.actorTokenType] = actor?.type.rawValue
        parameters[.requestedTokenType] = requestedType?.rawValue
        for audience in audiences { parameters.append(audience, for: .audience) }
        for resource in resources { parameters.append(resource.description, for: .resource) }
        if !scopes.isEmpty { parameters[.scope] = scopes.text }
        for pair in additionalParameters.pairs { parameters.append(pair.value, for: pair.name) }
        return parameters
    }
    private static let ownParameters: Set<Parameters.Name> = [
        .grantType, .subjectToken, .subjectTokenType, .actorToken, .actorTokenType, .requestedTokenType, .audience,
        .resource, .scope, .clientID, .clientSecret, .clientAssertion, .clientAssertionType,
    ]
    /// A token of the requested type.
    public var expectation: TokenResponse.Expectation { .exchanged(scopes: scopes, as: requestedType) }
}

/// The type of a token in a token exchange (RFC 8693 section 3).
public struct TokenType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The URI on the wire.
    public let rawValue: String
    /// Takes any URI.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The URI.
    public var description: String { rawValue }

    /// An access token of this authorization server.
    public static let accessToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// A refresh token of this authorization server.
    public static let refreshToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An ID token (OpenID Connect Core section 2).
    public static let idToken = TokenType(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// Any JSON Web Token.
    public static let jwt = TokenType(rawValue: "urn:ietf:params:oauth:token-type:jwt")
}
