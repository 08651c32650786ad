public import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

/// The metadata of a resource server, made from its policies. (RFC 9728 section 2)
///
///     let document = ResourceMetadataDocument(at: place, of: [orders, admin])
///     router.add(document)
public struct ResourceMetadataDocument: ServerEndpoint {
    /// The resource identifier of a resource server, and the place of its metadata.
    public struct Place: Sendable, Hashable {
        /// The resource identifier.
        public let resource: ResourceIndicator
        /// The path of the document on the resource's origin. (RFC 9728 section 3.1)
        public let path: String
        /// The URL of the document, for challenges.
        public let url: String

        /// Makes the place of a resource server's metadata.
        ///
        /// - Parameter resource: An https URL without query and fragment, such as `https://api.example.com/v1`; http
        ///   for this machine only. (RFC 9728 section 1.2)
        /// - Throws: `configuration` at stage `discovery` for any other.
        public init(_ resource: String) throws(SignInError) {
            self.resource = try ResourceIndicator(resource)
            guard let parts = URIParts(resource), parts.isSecureOrLoopback, parts.query == nil,
                parts.authority?.userInfo == nil, let authority = parts.authority
            else {
                throw SignInError(
                    .discovery,
                    .configuration("A resource with metadata must be an https URL without a query.")
                )
            }
            // A trailing slash is removed before the path is appended to the well-known part.
            let rest = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
            path = "/.well-known/oauth-protected-resource" + rest
            url = "\(parts.scheme)://\(authority.host)\(authority.port.map { ":" + $0 } ?? "")\(path)"
        }
    }

    /// The place of the document.
    public let place: Place
    /// The document.
    public let members: JSONObject

    /// Describes the routes of a resource server.
    ///
    /// - Parameters:
    ///   - place: The resource identifier.
    ///   - resources: Every protected route.
    ///   - name: The name for display (`resource_name`). Default: none.
    ///   - documentation: A page for developers. Default: none.
    public init(
        at place: Place,
        of resources: [ProtectedResource],
        name: String? = nil,
        documentation: String? = nil
    ) {
        self.place = place
        var members: JSONObject = ["resource": .string(place.resource.description)]
        func list(_ values: [String]) -> JSONValue {
            .array(values.reduce(into: []) { $0 += $0.contains($1) ? [] : [$1] }.map(JSONValue.string))
        }
        members["authorization_servers"] = list(resources.flatMap { $0.policy.issuers.map(\.description) })
        let scopes = resources.flatMap { $0.policy.requiredScopes.map(\.rawValue) }
        if !scopes.isEmpty { members["scopes_supported"] = list(scopes) }
        members["bearer_methods_supported"] = ["header"]
        let bindings = resources.map(\.policy.binding)
        let algorithms = resources.filter { [.dpop, .any].contains($0.policy.binding) }
            .flatMap { $0.server.proofs?.algorithmList.map(\.rawValue) ?? [] }
        if !algorithms.isEmpty { members["dpop_signing_alg_values_supported"] = list(algorithms) }
        if !bindings.isEmpty {
            members["dpop_bound_access_tokens_required"] = .bool(bindings.allSatisfy { $0 == .dpop })
            members["tls_client_certificate_bound_access_tokens"] = .bool(
                bindings.contains { $0 == .mtls || $0 == .any }
            )
        }
        members["resource_name"] = name.map(JSONValue.string)
        members["resource_documentation"] = documentation.map(JSONValue.string)
        self.members = members
    }

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// Returns the document, which is public and may be cached for an hour.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        .json(members, fields: [.cacheControl: "public, max-age=3600", .accessControlAllowOrigin: "*"])
    }
}
