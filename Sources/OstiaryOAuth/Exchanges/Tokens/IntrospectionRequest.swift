import HTTPTypes
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Requests the state of a token from the server (RFC 7662).
public struct IntrospectionRequest: Exchange {
    let token: Secret
    let hint: RevocationRequest.Kind?
    let client: Client
    let server: AuthorizationServer

    /// Requests the state of one token.
    ///
    /// - Parameters:
    ///   - token: The token to ask about.
    ///   - hint: The probable type of the token (RFC 7662 section 2.1).
    ///   - client: The client that sends the request.
    ///   - server: The server, from its metadata.
    public init(_ token: Secret, hint: RevocationRequest.Kind? = nil, client: Client, server: AuthorizationServer) {
        self.token = token
        self.hint = hint
        self.client = client
        self.server = server
    }

    /// Stage `introspection`.
    public var stage: SignInError.Stage { .introspection }

    /// A POST with the token in the form.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = server.introspectionEndpoint else {
            throw SignInError(.introspection, .unsupported("an introspection_endpoint"))
        }
        var form = Parameters([.token: token.reveal()])
        form[.tokenTypeHint] = hint?.rawValue
        return try EndpointRequest(posting: form, to: url, as: client, at: server, &fresh)
    }

    /// Reads the state of the token (RFC 7662 section 2.2).
    ///
    /// - Throws: `malformed` when `active` is not a Boolean. An unknown token is `inactive`.
    public func output(from response: EndpointResponse) throws(SignInError) -> IntrospectionRequest.TokenDescription {
        guard response.status == .ok else { throw response.failure(at: .introspection) }
        let object = try response.answer(expecting: ["active"], at: .introspection)
        guard let active = object["active"]?.bool else {
            throw SignInError(.introspection, .malformed("the response's active"))
        }
        return active ? .active(IntrospectionRequest.TokenDescription.Claims(object)) : .inactive
    }
}

extension IntrospectionRequest {
    /// The state of a token according to the server (RFC 7662 section 2.2).
    public enum TokenDescription: Sendable, Hashable {
        /// The token is valid, with its claims.
        case active(Claims)
        /// The token is unknown, expired, revoked, or one that this client may not introspect.
        case inactive

        /// The claims of a valid token.
        public struct Claims: Sendable, Hashable {
            /// Every member of the response.
            public let members: JSONObject

            init(_ members: JSONObject) { self.members = members }

            /// The scopes of the token.
            public var scopes: [Scope] { members["scope"]?.string.map(Scope.list) ?? [] }
            /// The client that the token was issued to.
            public var clientID: String? { members["client_id"]?.string }
            /// The subject of the token.
            public var subject: String? { members["sub"]?.string }
            /// The expiry of the token.
            public var expiry: Date? { members.date("exp") }
            /// The audience of the token.
            public var audience: Set<String> { Set((members.audience ?? []).compactMap(\.string)) }
            /// The key that it is bound to (RFC 9449 section 6.2).
            public var dpopKeyThumbprint: String? { members["cnf"]?.object?["jkt"]?.string }
        }
    }
}

extension IntrospectionRequest.TokenDescription: CustomStringConvertible {
    /// Whether the token is active, without claims about the user.
    public var description: String {
        switch self {
        case .active: "active"
        case .inactive: "inactive"
        }
    }
}
