public import OstiaryJOSE

/// What a resource server says of itself (RFC 9728 section 2).
///
/// It names authorization servers; whether to trust one of them is for the app to say.
public struct ResourceMetadata: Sendable, Hashable {
    /// The resource, to ask tokens for.
    public let resource: ResourceIndicator
    /// Who may give out tokens for it; empty when it does not say.
    public let authorizationServers: [Issuer]
    /// Which scopes it knows; `nil` when it does not say.
    public let scopes: [Scope]?
    /// How tokens may be shown, such as `header`; `nil` when it does not say.
    public let bearerMethods: [String]?
    /// Whether it takes only tokens that are bound by DPoP (RFC 9449).
    public let requiresDPoP: Bool
    /// What proofs of possession may be signed with; `nil` when it does not say.
    public let dpopSigningAlgorithms: Set<SignatureAlgorithm>?
    /// The whole metadata, with the members that have no property here.
    public let members: JSONObject

    /// - Throws: `malformed` at stage `discovery` when a known member has the wrong type, `configuration` for an
    ///   authorization server that is no issuer.
    init(_ object: JSONObject, of resource: ResourceIndicator) throws(SignInError) {
        func strings(_ name: String) throws(SignInError) -> [String]? {
            guard let value = object[name], !value.isNull else { return nil }
            guard let array = value.array, array.count <= 100 else {
                throw SignInError(.discovery, .malformed("the resource metadata's \(name)"))
            }
            return array.compactMap(\.string)
        }
        var issuers: [Issuer] = []
        for name in try strings("authorization_servers") ?? [] { issuers.append(try Issuer(name)) }
        self.resource = resource
        authorizationServers = issuers
        scopes = try strings("scopes_supported")?.map(Scope.init(rawValue:))
        bearerMethods = try strings("bearer_methods_supported")
        requiresDPoP = object["dpop_bound_access_tokens_required"]?.bool ?? false
        dpopSigningAlgorithms = try strings("dpop_signing_alg_values_supported").map {
            Set($0.compactMap(SignatureAlgorithm.init(rawValue:)))
        }
        members = object
    }
}
