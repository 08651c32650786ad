import HTTPTypes
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Asks the server what a token is (RFC 7662).
public struct Introspection: Exchange {
    let token: Secret
    let hint: Revocation.Kind?
    let client: Client
    let server: AuthorizationServer

    /// Asks about one token.
    ///
    /// - Parameter hint: What kind it probably is (RFC 7662 section 2.1).
    public init(_ token: Secret, hint: Revocation.Kind? = nil, client: Client, server: AuthorizationServer) {
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

    /// What the server says of the token (RFC 7662 section 2.2).
    ///
    /// - Throws: `malformed` when `active` is not a Boolean; a token about which nothing is known is not active.
    public func output(from response: EndpointResponse) throws(SignInError) -> TokenDescription {
        guard response.status == .ok else { throw response.failure(at: .introspection) }
        let object = try response.answer(expecting: ["active"], at: .introspection)
        guard let active = object["active"]?.bool else {
            throw SignInError(.introspection, .malformed("the answer's active"))
        }
        return active ? .active(TokenDescription.Claims(object)) : .inactive
    }
}

/// What a server says of a token (RFC 7662 section 2.2).
public enum TokenDescription: Sendable, Hashable {
    /// It is good; this is what is known of it.
    case active(Claims)
    /// It is not good: unknown, expired, revoked, or not this client's to ask about.
    case inactive

    /// What is known of a good token.
    public struct Claims: Sendable, Hashable {
        /// Every member of the answer.
        public let members: JSONObject

        init(_ members: JSONObject) { self.members = members }

        /// What it allows.
        public var scopes: [Scope] { members["scope"]?.string.map(Scope.list) ?? [] }
        /// Which client it was issued to.
        public var clientID: String? { members["client_id"]?.string }
        /// Whom it is about.
        public var subject: String? { members["sub"]?.string }
        /// When it expires.
        public var expiry: Date? { members.date("exp") }
        /// Whom it is for.
        public var audience: Set<String> { Set((members.audience ?? []).compactMap(\.string)) }
        /// The key that it is bound to (RFC 9449 section 6.2).
        public var dpopKeyThumbprint: String? { members["cnf"]?.object?["jkt"]?.string }
    }
}

extension TokenDescription: CustomStringConvertible {
    /// Whether it is good; nothing about a person.
    public var description: String {
        switch self {
        case .active: "active"
        case .inactive: "inactive"
        }
    }
}
