public import OstiaryJOSE

/// A resource server's metadata (RFC 9728 section 2).
///
/// It names authorization servers; the app decides whether to trust one of them.
public struct ResourceMetadata: Sendable, Hashable {
    /// The resource to request tokens for.
    public let resource: ResourceIndicator
    /// The issuers whose tokens it accepts; empty when the metadata does not list them.
    public let authorizationServers: [Issuer]
    /// The supported scopes; `nil` when the metadata does not list them.
    public let scopes: [Scope]?
    /// The methods for presenting tokens, such as `header`; `nil` when the metadata does not list them.
    public let bearerMethods: [String]?
    /// Whether it takes only tokens that are bound by DPoP (RFC 9449).
    public let requiresDPoP: Bool
    /// The signature algorithms of proofs of possession; `nil` when the metadata does not list them.
    public let dpopSigningAlgorithms: Set<SignatureAlgorithm>?
    /// The whole metadata, with the members that have no property here.
    public let members: JSONObject

    /// Reads the metadata of a resource.
    ///
    /// - Throws: `malformed` at stage `discovery` when a known member has the wrong type, `configuration` for an
    ///   authorization server whose issuer is invalid.
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
