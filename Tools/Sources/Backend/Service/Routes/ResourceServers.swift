import OstiaryHummingbird
import OstiaryOAuth
import OstiaryServer

/// The protected routes, and the metadata of their resource servers.
///
/// Routes with the same audiences are one resource server. It publishes metadata (RFC 9728) if one audience is a URL at
/// an origin of this service: the service can answer at no other.
struct ResourceServers: Sendable {
    struct Route: Sendable {
        let path: String
        let resource: ProtectedResource
    }

    let routes: [Route]
    let documents: [ResourceMetadataDocument]

    /// - Throws: An error that names the setting and the fix.
    init(
        _ configuration: BackendConfiguration,
        keys: [KeySource],
        introspectors: [TokenIntrospector],
        proofs: ProofChecking,
        cache: VerifiedTokenCache,
        revoked: RevokedTokens
    ) throws {
        var routes: [Route] = []
        var audiences: [[String]] = []
        var described: [(place: ResourceMetadataDocument.Place, resources: [ProtectedResource])] = []
        for own in configuration.resources.map(\.policy.audiences)
        where !audiences.contains(where: { $0.isSame(as: own) }) {
            audiences.append(own)
        }
        for names in audiences {
            let place = names.lazy.compactMap { Self.place(of: $0, at: configuration.origins) }.first
            let server = ResourceServer(
                keys: keys,
                introspectors: introspectors,
                dpop: proofs,
                certificates: configuration.certificateField.map { .proxy($0) } ?? .connection,
                cache: cache,
                revoked: revoked,
                metadata: place
            )
            let own = configuration.resources.filter { $0.policy.audiences.isSame(as: names) }
            let guarded = try own.map { Route(path: $0.path, resource: try server.resource($0.policy)) }
            routes += guarded
            guard let place else { continue }
            if let other = described.first(where: { $0.place.path == place.path }) {
                throw BackendConfigurationError(
                    "resources",
                    "\(place.resource) and \(other.place.resource) share one metadata URL: write the audience the same way in both."
                )
            }
            described.append((place, guarded.map(\.resource)))
        }
        self.routes = routes
        documents = described.map { ResourceMetadataDocument(at: $0.place, of: $0.resources) }
    }

    /// The path of a resource server's metadata; `nil` for an audience that is not a URL of this service, or whose path
    /// the router would take for a pattern.
    private static func place(
        of audience: String,
        at origins: [ExternalOrigin]
    ) -> ResourceMetadataDocument.Place? {
        guard let place = try? ResourceMetadataDocument.Place(audience),
            !place.path.contains(where: { "{}:*%".contains($0) })
        else { return nil }
        let isHere = origins.contains { origin in
            guard let own = try? ResourceMetadataDocument.Place(origin.description) else { return false }
            return own.origin == place.origin
        }
        return isHere ? place : nil
    }
}

extension ResourceMetadataDocument.Place {
    /// The part of the URL before the path.
    fileprivate var origin: Substring { url.dropLast(path.count) }
}

extension [String] {
    /// Whether two resource servers have the same names, compared byte by byte.
    fileprivate func isSame(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}
